int sum_to(int n)
{
    int i = 0, s = 0;

    if (n <= 0)
        return 0;
    do {
        s += i * i;
        i++;
    } while (i < n);
    return s;
}
