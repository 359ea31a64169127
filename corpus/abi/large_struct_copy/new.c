struct big {
    int v[6];
};

int weigh(struct big m)
{
    m.v[1] *= 2;
    m.v[5] *= 4;
    m.v[0] += m.v[1];
    return m.v[0] + m.v[5];
}
