#define absolute(x) _Generic((x), int: absolute_int, long: absolute_long)(x)
static int absolute_int(int x) { return x < 0 ? -x : x; }
static long absolute_long(long x) { return x < 0 ? -x : x; }

long distance(int a, long b) { return absolute(a) + absolute(b); }
