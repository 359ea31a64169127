struct state {
    unsigned ready : 1;
};

int ready(unsigned x)
{
    struct state s = {0};
    s.ready = x & 1;
    return s.ready;
}
