void fill(int *v, unsigned n, int x)
{
    int *p = v;

    while (n > 0) {
        *p++ = x;
        n--;
    }
}
