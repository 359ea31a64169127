static int foo(int a, int b)
{
    int i, c = 0;

    if (a < 0) {
        for (i = 1; i <= b; ++i)
            c += a;
    }
    return c;
}

int client(int x)
{
    if (x >= 9 && x < 12)
        return foo(x, 10);
    return 0;
}
