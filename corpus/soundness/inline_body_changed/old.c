inline int next(int x) { return x + 1; }

int step(int x) { return next(x); }
