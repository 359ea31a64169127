struct count {
    int hits;
    int misses;
};

int total(const struct count *c)
{
    return c->hits + c->misses;
}
