struct set {
    unsigned char count;
    short v[8];
};

int sum(const struct set *s)
{
    int i, total = 0;

    for (i = 0; i < s->count && i < 8; i++)
        total += s->v[i];
    return total;
}
