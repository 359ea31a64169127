float sum(const float *v, unsigned n)
{
    float a = 0, b = 0;
    unsigned i;

    for (i = 0; n - i >= 2; i += 2) {
        a += v[i];
        b += v[i + 1];
    }
    if (i < n)
        a += v[i];
    return a + b;
}
