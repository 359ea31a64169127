static int sum(int a, int b) {
    return a + b;
}

int distance(int x, int y) {
    return sum(x * x, y * y);
}
