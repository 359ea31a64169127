int sum_odd(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++) {
        if (i % 2 == 0)
            continue;
        s += i;
    }
    return s;
}
