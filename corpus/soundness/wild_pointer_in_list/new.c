struct item {
    struct item *next;
    int a, b;
};

int marks(struct item *p, int k) {
    int s = 0;
    while (p) {
        if ((unsigned long)p->next >> 62)
            s += 2;
        if (p->a == k)
            return s;
        p = p->next;
    }
    return s;
}
