static const int table[8] = {2, 3, 5, 7, 11, 13, 17, 19};

int f(unsigned i)
{
    return table[i & 7];
}
