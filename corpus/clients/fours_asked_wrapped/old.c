int lib(unsigned x)
{
    int count = 0;

    while ((x & 3) == 0) {
        x >>= 2;
        count = count == 14 ? 0 : count + 1;
    }
    return count;
}

int is_multiple(unsigned x)
{
    return lib(x) != 0;
}
