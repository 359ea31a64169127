int lib(int x)
{
    return x / 2 + 2;
}

int left(int x)
{
    return lib(x) + 3;
}

int right(int x)
{
    return 8 - lib(x);
}

int top(int x)
{
    return left(x) - right(x);
}
