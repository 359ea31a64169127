static int limits[2] = {10, 20};

int limit(unsigned i)
{
    return limits[i & 1] + 0;
}

void set_limit(unsigned i, int value)
{
    limits[i & 1] = value;
}
