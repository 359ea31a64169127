int mode;

static int scaled(int x)
{
    if (mode == 9)
        return 2;
    return x * x * x + x / 3;
}

int plain(int x)
{
    mode = x & 15;
    return scaled(x) + scaled(x + 1);
}
