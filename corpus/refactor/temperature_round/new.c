int celsius(short f)
{
    int n = (f - 32) * 5;
    return (n + (n < 0 ? -4 : 4)) / 9;
}
