unsigned used(unsigned head, unsigned tail)
{
    return (head - tail) & 63;
}
