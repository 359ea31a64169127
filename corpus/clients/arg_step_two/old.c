int lib(int i)
{
    return i % 2 ? i : i + 1;
}

int total(int n)
{
    int i, s = 0;

    for (i = 0; i < (n & 1023); i += 2)
        s += lib(i);
    return s;
}
