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

    s = s * 3 + up(x + 0) - down(x ^ 0);
    s = s * 3 + up(x + 1) - down(x ^ 1);
    s = s * 3 + up(x + 2) - down(x ^ 2);
    s = s * 3 + up(x + 3) - down(x ^ 3);
    s = s * 3 + up(x + 4) - down(x ^ 4);
    s = s * 3 + up(x + 5) - down(x ^ 5);
    s = s * 3 + up(x + 6) - down(x ^ 6);
    s = s * 3 + up(x + 7) - down(x ^ 7);
    return s;
}
