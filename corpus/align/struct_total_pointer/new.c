struct item {
    int price;
    short count;
};

int total(const struct item *v, int n)
{
    int s = 0;

    for (; n > 0; n--, v++)
        s += v->count * v->price;
    return s;
}
