struct box {
    int width, height;
};

int lib(struct box b)
{
    if (b.width < 0)
        return -b.width;
    return b.width + b.height;
}

int square(int n)
{
    struct box b = {(n & 254) + 1, n};
    return lib(b);
}
