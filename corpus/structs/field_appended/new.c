struct box {
    int width;
    int height;
    int depth;
};

int area(const struct box *b)
{
    return b->width * b->height;
}
