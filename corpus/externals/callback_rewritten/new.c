int apply(int (*f)(int), int x);

static int triple(int x)
{
    return x + x + x;
}

int run(int x)
{
    return apply(triple, x);
}
