int lib(int x)
{
    return x > 127 ? 0 : x * 2;
}

static int apply(int (*f)(int), int x)
{
    return f(x & 127) + 1;
}

int use(int x)
{
    return apply(lib, x);
}
