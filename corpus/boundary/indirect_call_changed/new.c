static int same(int x)
{
    return x;
}

static int limit(int x)
{
    return x > 100 ? 99 : x;
}

static int (*const table[2])(int) = {same, limit};

int apply(unsigned k, int x)
{
    return table[k & 1](x);
}
