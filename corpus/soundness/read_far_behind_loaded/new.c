int first(int **p) { return *p ? (*p)[0] + 0 * (*p)[5000] : 0; }
