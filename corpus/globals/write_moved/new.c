int calls;

int clamp_and_count(int x)
{
    int r = x > 100 ? 100 : x;
    calls++;
    return r;
}
