static const int table[4] = {1, 2, 3, 4};

int f(int i)
{
    if (i > 3)
        return -1;
    return table[i];
}
