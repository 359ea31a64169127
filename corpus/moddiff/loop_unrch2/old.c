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
    return foo(2, 2) + x;
}
