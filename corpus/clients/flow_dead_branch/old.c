int lib(int x)
{
    return x + 1;
}

int parity(int x)
{
    int odd = x & 1;

    if (x % 2 == 0 && odd)
        return lib(x);
    return odd;
}
