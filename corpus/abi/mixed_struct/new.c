struct item {
    long count;
    double price;
};

double score(struct item i)
{
    double n = i.count;
    return i.price * n;
}
