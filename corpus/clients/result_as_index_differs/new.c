static const int table[4] = {3, 8, 7, 9};

int lib(int x)
{
    if (x < 0)
        return 3;
    return x > 100 ? 2 : 0;
}

int cost(int x)
{
    return table[lib(x)];
}
