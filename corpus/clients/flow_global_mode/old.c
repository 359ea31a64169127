int mode;

int lib(int x)
{
    if (mode == 2)
        return x + 16;
    return x;
}

int read_plain(int x)
{
    int before = mode, r;

    mode = 1;
    r = lib(x) ^ lib(x + 1);
    mode = before;
    return r;
}
