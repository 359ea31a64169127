static int next(int x)
{
    return 1 + x;
}

int has_successor(int x)
{
    return next(x) != 0 || x < 0;
}
