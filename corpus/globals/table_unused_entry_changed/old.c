static const int weights[10] = {1, 2, 4, 8, 16, 32, 64, 128, 0, 0};

int weight(unsigned i)
{
    return weights[i & 7];
}
