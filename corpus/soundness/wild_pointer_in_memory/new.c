int is_mark(int **p) { return *p == (int *)-1 ? 2 : 0; }
