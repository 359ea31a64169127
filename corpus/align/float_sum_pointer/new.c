float sum(const float *v, unsigned n)
{
    const float *end = v + n;
    float s = 0;

    for (; v != end; v++)
        s += *v;
    return s;
}
