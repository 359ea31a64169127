typedef int four __attribute__((vector_size(16)));

int sum(four a, four b) {
    int s = 0;
    s += a[0] + b[0] + a[1] + b[1];
    return s + a[2] + b[2] + a[3] + b[3];
}

int larger(four a, four b) {
    four c = a > b;
    return -(c[0] + c[1] + c[2] + c[3]);
}
