int is_mark(long **p) { return *p == (long *)-1 ? 1 : 0; }
