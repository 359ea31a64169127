static int is_odd(unsigned n);

int is_even(unsigned n)
{
    if (n > 0)
        return is_odd(n - 1);
    return 1;
}

static int is_odd(unsigned n)
{
    if (n > 0)
        return is_even(n - 1);
    return 0;
}
