static int limits[2] = {10, 20};

int limit(unsigned i)
{
    return limits[i & 1];
}
