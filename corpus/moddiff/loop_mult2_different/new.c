static int foo(int a, int b)
{
    int i, c = 1;

    for (i = 1; i <= a; ++i)
        c += b;
    return c;
}

int client(int x)
{
    return foo(2, 2) + x;
}
