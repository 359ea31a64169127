int eighth(int n)
{
    return n >> 3;
}
