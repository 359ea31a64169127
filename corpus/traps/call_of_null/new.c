int apply(int (*change)(int), int x) {
    return change(x);
}
