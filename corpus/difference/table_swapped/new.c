static const int table[4] = {1, 3, 2, 4};

int f(unsigned i)
{
    return table[i & 3];
}
