int sum_to(int n)
{
    int i = 0, s = 0;

    while (i < n) {
        s += i;
        i++;
    }
    return s;
}
