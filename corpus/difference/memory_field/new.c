struct box {
    int width, height;
};

int f(const struct box *b)
{
    return b->height > 10;
}
