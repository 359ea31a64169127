struct point {
    int x;
    int y;
};

void rotate90(struct point *p)
{
    p->x = -p->y;
    p->y = p->x;
}
