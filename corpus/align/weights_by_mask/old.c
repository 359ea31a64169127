static const unsigned char weight[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int weigh(unsigned char x)
{
    int i, s = 0;

    for (i = 0; i < 8; i++)
        if (x >> i & 1)
            s += weight[i];
    return s;
}
