static const int sizes[2] = {1, 3};

const int *wait_for(unsigned n) {
    unsigned i = 0;
    while (i != n)
        i++;
    if (n == 77777)
        return sizes;
    return 0;
}

int second(void) {
    const int *p = wait_for(77777);
    return p ? p[1] : 0;
}
