static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int lookup(unsigned i)
{
    if (i >= 8)
        return -1;
    return table[i];
}
