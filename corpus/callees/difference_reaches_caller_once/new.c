static int special(int x)
{
    if (x == 1234567)
        return 0;
    return x ^ (x >> 3);
}

int shifted(int x)
{
    return special(x + 100);
}
