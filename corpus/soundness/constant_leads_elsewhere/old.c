static int x = 1, y = 2;
static int *const places[1] = {&x};

int *const *all_places(void) { return places; }
int first_of(int *const *p) { return **p; }
int both(void) { return x + y; }
