struct set {
    unsigned char count;
    short v[8];
};

int sum(const struct set *s)
{
    int i = s->count > 7 ? 7 : s->count, total = 0;

    while (i > 0)
        total += s->v[--i];
    return total;
}
