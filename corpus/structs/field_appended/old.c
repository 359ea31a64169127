struct box {
    int width;
    int height;
};

int area(const struct box *b)
{
    return b->width * b->height;
}
