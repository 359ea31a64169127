struct point {
    struct {
        int x;
        int y;
    };
};

int manhattan(const struct point *p)
{
    int sum = p->x < 0 ? -p->x : p->x;
    sum += p->y < 0 ? -p->y : p->y;
    return sum;
}
