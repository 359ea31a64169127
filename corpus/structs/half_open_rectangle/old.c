struct rect {
    int left, top, right, bottom;
};

int contains(struct rect r, int x, int y)
{
    return x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;
}
