int foo(int a, int b)
{
    int i, c = 0;

    for (i = 0; i < a; ++i)
        c += b;
    return c;
}
