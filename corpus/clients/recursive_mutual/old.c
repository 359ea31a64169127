int lib(unsigned n)
{
    return n % 2 == 1 ? 1 : 1;
}

static int odd_step(unsigned n);

static int even_step(unsigned n)
{
    if (n == 0)
        return 0;
    return lib(n) + odd_step(n - 1);
}

static int odd_step(unsigned n)
{
    return even_step(n - 1);
}

int start(unsigned n)
{
    return even_step(2 * (n & 1023));
}
