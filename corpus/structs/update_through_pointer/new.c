struct point {
    int x;
    int y;
};

void translate(struct point *p, int dx, int dy)
{
    struct point moved = *p;

    moved.x += dx;
    moved.y += dy;
    *p = moved;
}
