int steps(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += 3;
    return s;
}
