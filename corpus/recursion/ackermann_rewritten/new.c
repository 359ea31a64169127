unsigned ack(unsigned m, unsigned n)
{
    unsigned inner;

    if (m == 0)
        return 1 + n;
    inner = n == 0 ? 1 : ack(m, n - 1);
    return ack(m - 1, inner);
}
