struct pair {
    int x, y;
};
struct pair shared;

int look(void) {
    if (shared.y == 77777)
        return 0;
    return 0;
}

int copy_and_look(void) {
    struct pair t;
    t.x = 1;
    shared = t;
    return look();
}
