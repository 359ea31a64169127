int above(const float *v, int n, float limit)
{
    int k = 0;

    for (; n > 0; n--, v++)
        k += limit < *v;
    return k;
}
