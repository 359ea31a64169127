int sum_odd(int n)
{
    int i = 0, s = 0;

    while (i < n) {
        if (i % 2 == 0)
            continue;
        s += i;
        i++;
    }
    return s;
}
