inline int next(int x) { return x + 2; }

int step(int x) { return next(x); }
