int mean(int lo, int hi)
{
    return (lo + hi) / 2;
}
