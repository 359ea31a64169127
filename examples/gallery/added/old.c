static int square(int n) {
    return n * n;
}

int distance(int x, int y) {
    return square(x) + square(y);
}
