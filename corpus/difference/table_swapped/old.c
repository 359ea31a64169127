static const int table[4] = {1, 2, 3, 4};

int f(unsigned i)
{
    return table[i & 3];
}
