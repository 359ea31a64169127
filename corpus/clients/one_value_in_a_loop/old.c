int lib(int i)
{
    return i == 37 ? 38 : i & 15;
}

int total(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += lib(i);
    return s;
}
