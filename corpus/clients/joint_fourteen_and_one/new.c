int up(int x)
{
    return (x & 63) + 1;
}

int down(int x)
{
    return (x >> 3) - 14;
}

int mix(int x)
{
    int s = 0;

    s += up(x + 0);
    s += up(x + 1);
    s += up(x + 2);
    s += up(x + 3);
    s += up(x + 4);
    s += up(x + 5);
    s += up(x + 6);
    s += up(x + 7);
    s += up(x + 8);
    s += up(x + 9);
    s += up(x + 10);
    s += up(x + 11);
    s += up(x + 12);
    s += up(x + 13);
    s += down(x);
    return s;
}
