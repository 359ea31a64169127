static int foo(int a, int b)
{
    int i, c = 1;

    for (i = 1; i <= a; ++i)
        c += b;
    return c;
}

int client(int x)
{
    if (x >= 18 && x < 22)
        return foo(x, 20);
    return 0;
}
