struct reg {
    unsigned enable : 1;
    unsigned mode : 3;
    unsigned rest : 28;
};

unsigned set_mode(unsigned word, unsigned mode)
{
    union {
        unsigned w;
        struct reg r;
    } u;
    u.w = word;
    u.r.mode = mode;
    return u.w;
}
