static int foo(int a, int b)
{
    int i, c = 0;

    for (i = 1; i <= b; ++i)
        c += a;
    return c;
}

int client(int x)
{
    if (x >= 13 && x < 16)
        return foo(x, 15);
    return 0;
}
