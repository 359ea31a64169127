int stats(int n)
{
    int i, a = 0, b = 0;

    for (i = 0; i < n; i++) {
        a += i;
        b += a;
    }
    return b;
}
