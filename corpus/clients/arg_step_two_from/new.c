int lib(int i)
{
    return i % 2 ? 2 * i + 1 : i + 1;
}

int total(int from, int n)
{
    int i, s = 0;

    for (i = from & 255; i < (n & 255); i += 2)
        s += lib(i);
    return s;
}
