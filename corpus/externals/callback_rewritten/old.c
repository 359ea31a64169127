int apply(int (*f)(int), int x);

static int triple(int x)
{
    return x * 3;
}

int run(int x)
{
    return apply(triple, x);
}
