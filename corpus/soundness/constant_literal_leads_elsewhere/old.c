int x, y;
static const int *const *const places = (const int *const[]){&x};

const int *const *all_places(void) { return places; }
