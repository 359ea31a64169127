int first(int **p) { return *p ? **p : 0; }
