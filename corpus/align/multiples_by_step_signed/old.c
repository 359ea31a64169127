int multiples(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        if (i % 3 == 0)
            s += i ^ 1;
    return s;
}
