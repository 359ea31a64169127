int is_full(unsigned head, unsigned tail)
{
    return ((tail + 1) & 63) == (head & 63);
}
