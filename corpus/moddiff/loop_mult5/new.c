static int foo(int a, int b)
{
    int i, c = 0;

    for (i = 1; i <= a; ++i)
        c += b;
    return c;
}

int client(int x)
{
    if (x >= 5 && x < 7)
        return foo(x, 5);
    return 0;
}
