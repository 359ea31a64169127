static int clipped(int x)
{
    if (x >= 100)
        return 100;
    return x < 0 ? -x : x;
}

int score(const signed char *v, int n)
{
    int s = 0;

    while (n-- > 0)
        s += clipped(*v++);
    return s;
}
