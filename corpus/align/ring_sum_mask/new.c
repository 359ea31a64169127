struct ring {
    unsigned start, count;
    int v[8];
};

int sum(const struct ring *r)
{
    unsigned i;
    int s = 0;

    for (i = 0; i < r->count; i++)
        s += r->v[(r->start + i) & 7];
    return s;
}
