struct point {
    int x;
    int y;
};

void translate(struct point *p, int dx, int dy)
{
    p->x += dx;
    p->y += dy;
}
