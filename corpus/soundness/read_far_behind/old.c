int first(int *p) { return p[0]; }
