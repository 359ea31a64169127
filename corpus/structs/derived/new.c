struct shape {
    int kind;
};

struct square {
    struct shape base;
    int side;
};

struct circle {
    struct shape base;
    int radius;
    int *scale;
};

int width(const struct shape *shape) {
    if (shape->kind == 1)
        return ((const struct square *)shape)->side;
    if (shape->kind == 2) {
        const struct circle *circle = (const struct circle *)shape;
        return 2 * circle->radius * *circle->scale;
    }
    return 0;
}
