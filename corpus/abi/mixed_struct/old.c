struct item {
    long count;
    double price;
};

double score(struct item i)
{
    return (double)i.count * i.price;
}
