int is_full(unsigned head, unsigned tail)
{
    return ((head + 1) & 63) == (tail & 63);
}
