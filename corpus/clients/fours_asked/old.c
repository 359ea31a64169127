int lib(unsigned x)
{
    int count = 0;

    while ((x & 3) == 0) {
        x >>= 2;
        count++;
    }
    return count;
}

int is_multiple(unsigned x)
{
    return lib(x) != 0;
}
