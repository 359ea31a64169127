typedef int four __attribute__((vector_size(16)));

int sum(four a, four b) {
    four c = a + b;
    return c[0] + c[1] + c[2] + c[3];
}

int larger(four a, four b) {
    four c = a >= b;
    return -(c[0] + c[1] + c[2] + c[3]);
}
