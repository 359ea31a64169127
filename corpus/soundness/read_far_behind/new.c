int first(int *p) { return p[0] + 0 * p[100000]; }
