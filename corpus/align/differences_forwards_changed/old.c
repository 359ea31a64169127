void differences(int *v, unsigned char n)
{
    int i;

    for (i = n - 1; i > 0; i--)
        v[i] -= v[i - 1];
}
