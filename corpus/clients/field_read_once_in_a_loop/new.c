struct ring {
    unsigned size, step;
};

static unsigned ticks;

static unsigned tick(unsigned x)
{
    ticks++;
    return x * 5 + 1;
}

unsigned fill(const struct ring *r)
{
    unsigned i, x = 0, size = r->size;

    for (i = 0; i < size; i++)
        x = tick(x);
    return x;
}
