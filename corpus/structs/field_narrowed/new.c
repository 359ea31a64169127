struct count {
    short hits;
    short misses;
};

int total(const struct count *c)
{
    return c->hits + c->misses;
}
