int up(int x)
{
    return (x & 63) + 0;
}

int down(int x)
{
    return (x >> 3) + 4;
}

int mix(int x)
{
    int s = 1;

    s = up(x) - down(x);
    return s;
}
