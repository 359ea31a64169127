struct ring {
    unsigned start, count;
    int v[8];
};

int sum(const struct ring *r)
{
    unsigned at = r->start % 8, left;
    int s = 0;

    for (left = r->count; left > 0; left--) {
        s += r->v[at];
        if (++at == 8)
            at = 0;
    }
    return s;
}
