int x, y;
static const int *const *const places = (const int *const[]){&y};

const int *const *all_places(void) { return places; }
