struct box {
    int width;
    int height;
};

int area(int w, int h)
{
    struct box b;
    b.width = w;
    b.height = h;
    return b.width * b.height;
}
