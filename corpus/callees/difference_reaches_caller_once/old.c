static int special(int x)
{
    return x ^ (x >> 3);
}

int shifted(int x)
{
    return special(x + 100);
}
