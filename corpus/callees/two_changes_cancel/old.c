static int left(int x)
{
    return x;
}

static int right(int x)
{
    return x + 10;
}

int width(int x)
{
    return right(x) - left(x);
}
