static int next(int x)
{
    return x + 1;
}

int has_successor(int x)
{
    return next(x) > x;
}
