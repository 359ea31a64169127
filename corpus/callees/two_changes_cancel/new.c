static int left(int x)
{
    return x + 5;
}

static int right(int x)
{
    return x + 15;
}

int width(int x)
{
    return right(x) - left(x);
}
