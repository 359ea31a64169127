/* The heap that compiled programs use: part of driver.c.
 *
 * The plain driver has one of its own, which begins empty in each run and knows every block, so that
 * a wrong `free` is seen. With a sanitizer, its allocator does all that. In both, an object
 * of the entry state counts as heap: nobody knows where a caller's object lives.
 *
 * Every request counts, from 0 in each run, and the job says which ones fail: the same that the interpreter counts
 * (`Outside::failures`). A `free`, a `realloc` that is one, and a product that is too large are none.
 */

static const char *failures; /* 32 bits each, in the job's message. */
static uint32_t failure_count, allocation_count;

static void begin_heap(void)
{
    failure_count = take32();
    failures = take((size_t)failure_count * 4);
    allocation_count = 0;
}
static int fails(void)
{
    if (!running) return 0;
    uint32_t number = allocation_count++, one;
    for (uint32_t i = 0; i < failure_count; i++) {
        memcpy(&one, failures + (size_t)i * 4, 4);
        if (one != number) continue;
        errno = ENOMEM;
        return 1;
    }
    return 0;
}

static struct object *entry_object(const void *p)
{
    for (uint32_t i = 0; i < object_count; i++)
        if (objects[i].address == p) return &objects[i];
    return 0;
}

#ifdef VERDIFF_SANITIZED
void __asan_poison_memory_region(const volatile void *p, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *p, size_t size) __attribute__((weak));
void __msan_unpoison(const volatile void *p, size_t size) __attribute__((weak));
int __sanitizer_get_ownership(const volatile void *p) __attribute__((weak));
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__real_memalign(size_t, size_t);
void *__real_valloc(size_t);
int __real_posix_memalign(void **, size_t, size_t);
char *__real_strdup(const char *);
char *__real_strndup(const char *, size_t);
void __real_free(void *);

static int in_entry_zone(const void *p)
{
    return object_count && (uint64_t)p >> 32 >= (uint64_t)objects[0].address >> 32
        && (uint64_t)p >> 32 <= (uint64_t)objects[object_count - 1].address >> 32;
}

/* An object of the entry state counts as heap; it is not the allocator's, though. */
static int end_entry(void *p)
{
    struct object *o = entry_object(p);
    if (!o) return 0;
    if (o->freed) stop(BAD_FREE, 0, (uint64_t)p);
    o->freed = 1;
    if (__asan_poison_memory_region) __asan_poison_memory_region(o->address, o->size);
    return 1;
}
void *__wrap_malloc(size_t size) { return fails() ? 0 : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return 0;
    return fails() ? 0 : __real_calloc(count, size);
}
void __wrap_free(void *p)
{
    if (p && end_entry(p)) return;
    if (in_entry_zone(p)) stop(BAD_FREE, 0, (uint64_t)p);
    __real_free(p);
}
void *__wrap_realloc(void *p, size_t size)
{
    if (!p) return __wrap_malloc(size);
    struct object *o = entry_object(p);
    if (!o) {
        /* Of what is no heap object the sanitizer tells, before anything can fail. */
        int owned = !__sanitizer_get_ownership || __sanitizer_get_ownership(p);
        return owned && size && fails() ? 0 : __real_realloc(p, size);
    }
    if (o->freed) stop(BAD_FREE, 0, (uint64_t)p);
    char *q = 0;
    if (size) {
        q = __wrap_malloc(size);
        if (!q) return 0;
        memcpy(q, o->address, size < o->size ? size : o->size);
    }
    end_entry(p);
    return q;
}
void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return 0;
    return __wrap_realloc(p, all);
}
void *__wrap_aligned_alloc(size_t align, size_t size) { return fails() ? 0 : __real_aligned_alloc(align, size); }
void *__wrap_memalign(size_t align, size_t size) { return fails() ? 0 : __real_memalign(align, size); }
void *__wrap_valloc(size_t size) { return fails() ? 0 : __real_valloc(size); }
int __wrap_posix_memalign(void **to, size_t align, size_t size)
{
    if (align & (align - 1) || align % 8 || !align) return EINVAL;
    return fails() ? ENOMEM : __real_posix_memalign(to, align, size);
}
/* A string that may not be read is told of first. */
char *__wrap_strdup(const char *s)
{
    (void)strlen(s);
    return fails() ? 0 : __real_strdup(s);
}
char *__wrap_strndup(const char *s, size_t most)
{
    (void)strnlen(s, most);
    return fails() ? 0 : __real_strndup(s, most);
}
#else
enum { ARENA = 128 << 20, MAX_BLOCKS = 1 << 16 };
/* The heap of one run: the next run begins with an empty one, whatever became of this. */
static struct { char *address; uint64_t size; int alive; } *blocks;
static uint32_t block_count;
static char *arena;
static uint64_t arena_used;

void *__wrap_malloc(size_t size)
{
    if (fails()) return 0;
    if (size >> 47) {
        errno = ENOMEM;
        return 0;
    }
    if (size > ARENA || block_count == MAX_BLOCKS) stop(OUT_OF_HEAP, 0, 0);
    uint64_t at = (arena_used + 15) / 16 * 16 + 16;
    if (at + size > ARENA) stop(OUT_OF_HEAP, 0, 0);
    arena_used = at + size;
    char *p = arena + at;
    uint64_t number = block_count++;
    memcpy(p - 8, &number, 8); /* To find the block again; checked, as it may be overwritten. */
    blocks[number].address = p;
    blocks[number].size = size;
    blocks[number].alive = 1;
    return p;
}
void *__wrap_calloc(size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return 0;
    void *p = __wrap_malloc(all);
    return p ? memset(p, 0, all) : 0;
}
/* The size of a live block and, with `end`, its end. Others do not come back. */
static uint64_t block(void *p, int end)
{
    struct object *o = entry_object(p);
    if (o && !o->freed) {
        o->freed = end;
        return o->size;
    }
    char *q = p;
    if (q >= arena + 16 && q < arena + ARENA) {
        uint64_t number;
        memcpy(&number, q - 8, 8);
        if (number < block_count && blocks[number].address == q && blocks[number].alive) {
            blocks[number].alive = !end;
            return blocks[number].size;
        }
    }
    stop(BAD_FREE, 0, (uint64_t)p);
}
void __wrap_free(void *p) { if (p) block(p, 1); }
void *__wrap_realloc(void *p, size_t size)
{
    if (!p) return __wrap_malloc(size);
    uint64_t old = block(p, !size);
    if (!size) return 0; /* As glibc has it. */
    char *q = __wrap_malloc(size);
    if (!q) return 0;
    memcpy(q, p, old < size ? old : size);
    block(p, 1);
    return q;
}
void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return 0;
    return __wrap_realloc(p, all);
}
/* The interpreter's objects are aligned for anything; here the next multiple is taken. */
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    if (align > PAGE) stop(OUT_OF_HEAP, 0, 0);
    if (align > 16) arena_used = (arena_used + align - 1) / align * align + align - 16;
    return __wrap_malloc(size);
}
void *__wrap_memalign(size_t align, size_t size) { return __wrap_aligned_alloc(align, size); }
void *__wrap_valloc(size_t size) { return __wrap_aligned_alloc(PAGE, size); }
int __wrap_posix_memalign(void **to, size_t align, size_t size)
{
    if (align & (align - 1) || align % 8 || !align) return EINVAL;
    void *made = __wrap_aligned_alloc(align, size);
    if (!made) return ENOMEM;
    *to = made;
    return 0;
}
char *__wrap_strndup(const char *s, size_t most)
{
    size_t length = strnlen(s, most);
    char *p = __wrap_malloc(length + 1);
    if (!p) return 0;
    memcpy(p, s, length);
    p[length] = 0;
    return p;
}
char *__wrap_strdup(const char *s) { return __wrap_strndup(s, (size_t)-1 >> 1); }
#endif
int __wrap_vasprintf(char **to, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(0, 0, format, again);
    va_end(again);
    if (length < 0) return -1;
    char *made = __wrap_malloc((size_t)length + 1);
    if (!made) return -1;
    vsnprintf(made, (size_t)length + 1, format, list);
    *to = made;
    return length;
}
int __wrap_asprintf(char **to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __wrap_vasprintf(to, format, list);
    va_end(list);
    return length;
}
