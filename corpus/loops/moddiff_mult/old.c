int foo(int a, int b)
{
    int i, c = 0;

    for (i = 0; i < b; ++i)
        c += a;
    return c;
}
