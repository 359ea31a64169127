struct ring {
    unsigned size, step;
};

static unsigned tick(struct ring *r, unsigned x)
{
    if (x > 1000 && r->size > 0)
        r->size--;
    return x * 5 + 1;
}

unsigned fill(struct ring *r)
{
    unsigned i, x = 0, size = r->size;

    for (i = 0; i < size; i++)
        x = tick(r, x);
    return x;
}
