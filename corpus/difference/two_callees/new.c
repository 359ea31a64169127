static int one(int x)
{
    return x >= 10 ? x + 1 : x;
}

static int two(int x)
{
    return x >= 15 ? x - 1 : x;
}

int f(int x)
{
    return one(x) + two(x);
}
