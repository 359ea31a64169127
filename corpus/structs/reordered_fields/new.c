struct box {
    int height;
    int width;
};

int width(const struct box *b)
{
    return b->width;
}
