unsigned used(unsigned head, unsigned tail)
{
    head &= 63;
    tail &= 63;
    if (head >= tail)
        return head - tail;
    return 64 - (tail - head);
}
