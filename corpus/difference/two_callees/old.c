static int one(int x)
{
    return x;
}

static int two(int x)
{
    return x;
}

int f(int x)
{
    return one(x) + two(x);
}
