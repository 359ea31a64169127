struct point {
    int x;
    int y;
};

int manhattan(const struct point *p)
{
    int ax = p->x < 0 ? -p->x : p->x;
    int ay = p->y < 0 ? -p->y : p->y;
    return ax + ay;
}
