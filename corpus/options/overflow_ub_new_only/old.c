int mean(int lo, int hi)
{
    return (int)(((long)lo + hi) / 2);
}
