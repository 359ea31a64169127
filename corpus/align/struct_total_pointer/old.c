struct item {
    int price;
    short count;
};

int total(const struct item *v, int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += v[i].price * v[i].count;
    return s;
}
