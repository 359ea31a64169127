int lib(int x)
{
    return x > 15 ? -1 : x * x + 1;
}

int mix(int x)
{
    int s = 0;

    if (x & 1)
        s += lib((x >> 0) & 15);
    return s;
}
