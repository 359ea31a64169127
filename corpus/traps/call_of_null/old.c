int apply(int (*change)(int), int x) {
    if (!change)
        return x;
    return change(x);
}
