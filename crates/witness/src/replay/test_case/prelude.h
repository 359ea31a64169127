static int failed;
static void check_int(const char *what, long long expected, long long actual)
{
    if (expected == actual) return;
    __builtin_printf("%s: %lld expected, got %lld\n", what, expected, actual);
    failed = 1;
}
static void check_float(const char *what, double expected, double actual)
{
    int both_nan = expected != expected && actual != actual;
    if (both_nan || !__builtin_memcmp(&expected, &actual, sizeof actual)) return;
    __builtin_printf("%s: %.17g expected, got %.17g\n", what, expected, actual);
    failed = 1;
}
static void check_pointer(const char *what, const void *expected, const void *actual)
{
    if (expected == actual) return;
    __builtin_printf("%s: another pointer\n", what);
    failed = 1;
}
static void check_bytes(const char *what, const void *expected, const void *actual, unsigned long size)
{
    const unsigned char *a = expected, *b = actual;
    for (unsigned long i = 0; i < size; i++)
        if (a[i] != b[i]) {
            __builtin_printf("%s, byte %lu: %d expected, got %d\n", what, i, a[i], b[i]);
            failed = 1;
            return;
        }
}
/* Of elements that are laid out as the mask says: padding, written as `.`, is not compared. */
static void check_members(const char *what, const void *expected, const void *actual, unsigned long size, const char *mask)
{
    const unsigned char *a = expected, *b = actual;
    unsigned long element = __builtin_strlen(mask);
    for (unsigned long i = 0; i < size; i++)
        if (mask[i % element] == 'x' && a[i] != b[i]) {
            __builtin_printf("%s, byte %lu: %d expected, got %d\n", what, i, a[i], b[i]);
            failed = 1;
            return;
        }
}
static char *object(const void *bytes, unsigned long size)
{
    return __builtin_memcpy(__builtin_malloc(size), bytes, size);
}
