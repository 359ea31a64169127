struct word {
    unsigned low : 3;
    unsigned rest : 29;
};

unsigned low3(unsigned x)
{
    struct word w = {0};
    w.low = x;
    return w.low;
}
