struct box {
    int height;
    int width;
};

int area(int w, int h)
{
    struct box b;
    b.width = w;
    b.height = h;
    return b.width * b.height;
}
