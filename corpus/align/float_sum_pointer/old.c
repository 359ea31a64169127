float sum(const float *v, unsigned n)
{
    float s = 0;
    unsigned i;

    for (i = 0; i < n; i++)
        s += v[i];
    return s;
}
