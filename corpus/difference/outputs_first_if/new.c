int low, high;

int f(int x)
{
    low = x & 15;
    high = x > 1000 ? 0 : x >> 4;
    return 0;
}
