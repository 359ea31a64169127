struct box {
    int width;
    int height;
};

int width(const struct box *b)
{
    return b->width;
}
