int calls;

int clamp_and_count(int x)
{
    if (x > 100) {
        calls++;
        return 100;
    }
    calls++;
    return x;
}
