int up(int x)
{
    return (x & 63) + 1;
}

int down(int x)
{
    return (x >> 3) + 5;
}

int mix(int x)
{
    int s = 1;

    s = up(x) - down(x);
    return s;
}
