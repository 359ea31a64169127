/* What goes on between the program and the outside: part of driver.c.
 *
 * The log says, in order, which functions of others were called with what, and what was printed. It is
 * memory of its own, shared with the process of a job, so that it outlives what a sanitizer ends:
 *
 *   0:32 external:32 args:32 bytes* further:32 (16 bytes)* looks:32 (size:32 bytes*)*
 *   1:32 kind:32 stream:64 size:32 bytes*       kind 0: a descriptor; 1: a FILE *; 2: a standard FILE *
 *
 * The script, the end of the job's message, says how the functions answer, in order:
 *
 *   entries:32 (external:32 returns:32 args:32 results:32 bytes* further:32 (class:32)*
 *               looks:32 (arg:32 size:32)* fills:32 (arg:32 offset:64 size:32 bytes*)*
 *               writes:32 (global:32 offset:64 size:32 bytes*)* returned:32 (arg:32)*)*
 *
 * `arg` is the place of a pointer in the logged arguments, or with the highest bit set the number of a further one.
 */

enum { LOG = 4 << 20, MOST_FURTHER = 64 };
static char *log_bytes;
static uint32_t script_left;
#define log_used (*(volatile uint64_t *)log_bytes)

/* Where this run may go back to by longjmp: the buffers that setjmp was called with. Of longjmp with any other buffer
 * the target is not in this run; it is a call of a function that is not linked. */
enum { MOST_BUFFERS = 256 };
static void *buffers[MOST_BUFFERS];
static uint32_t buffer_count;

static void make_log(void)
{
    log_bytes = mmap(0, LOG, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (log_bytes == MAP_FAILED) give_up(98);
}
static void begin_log(void)
{
    script_left = take32();
    log_used = 0;
    buffer_count = 0;
}
static void put_log(void)
{
    put32(log_used);
    put(log_bytes + 8, log_used);
}
static void note(const void *data, uint64_t size)
{
    if (size > LOG - 8 - log_used) stop(OUT_OF_HEAP, 0, 0);
    memcpy(log_bytes + 8 + log_used, data, size);
    log_used += size;
}
static void note32(uint32_t x) { note(&x, 4); }
static void note_block(const void *data, uint32_t size)
{
    note32(size);
    note(data, size);
}

#ifdef VERDIFF_SANITIZED
void __msan_unpoison(const volatile void *p, size_t size) __attribute__((weak));
intptr_t __msan_test_shadow(const volatile void *p, size_t size) __attribute__((weak));
#endif

void verdiff_jump_set(void *buffer)
{
    for (uint32_t i = 0; i < buffer_count; i++)
        if (buffers[i] == buffer) return;
    if (buffer_count < MOST_BUFFERS) buffers[buffer_count++] = buffer;
}
void verdiff_jump_back(void *buffer, int value)
{
    for (uint32_t i = 0; i < buffer_count && running; i++)
        if (buffers[i] == buffer) siglongjmp(*(sigjmp_buf *)buffer, value);
}

/* A call of a function that is not linked. If the script does not expect it, the run ends. */
void verdiff_called(int external, const char *args, char *results, va_list *list)
{
    static char *further[MOST_FURTHER];
    if (!running || !script_left || !args || (int)take32() != external) stop(LEFT, external, 0);
    script_left--;
    uint32_t returns = take32(), args_size = take32(), results_size = take32();
    const char *bytes = take(results_size);
    note32(0);
    note32(external);
    note_block(args, args_size);
    uint32_t count = take32();
    note32(count);
    if (count > MOST_FURTHER || (count && !list)) stop(LEFT, external, 0);
    for (uint32_t i = 0; i < count; i++) {
        union { uint64_t word; double real; long double extended; char bytes[16]; } value = {.bytes = {0}};
        switch (take32()) {
        case 0: value.word = va_arg(*list, uint64_t); break;
        case 1: value.real = va_arg(*list, double); break;
        default: value.extended = va_arg(*list, long double);
        }
        memcpy(&further[i], value.bytes, 8);
        note(value.bytes, 16);
    }
#define BEHIND(arg) ((arg) >> 31 ? further[(arg) & 63] : *(char *const *)(args + (arg)))
    count = take32();
    note32(count);
    for (; count; count--) {
        uint32_t arg = take32(), size = take32();
        note_block(BEHIND(arg), size);
    }
    for (count = take32(); count; count--) {
        uint32_t arg = take32();
        char *to = BEHIND(arg) + (int64_t)take64();
        uint32_t size = take32();
        memcpy(to, take(size), size);
#ifdef VERDIFF_SANITIZED
        if (__msan_unpoison) __msan_unpoison(to, size);
#endif
    }
    for (count = take32(); count; count--) {
        uint32_t id = take32();
        uint64_t offset = take64();
        uint32_t size = take32();
        const char *from = take(size);
        struct global *g = id < global_count ? &globals[id] : 0;
        if (!g || !g->writable || size > g->size || offset > g->size - size) stop(REFUSED, 0, 0);
        memcpy(g->address + offset, from, size);
#ifdef VERDIFF_SANITIZED
        if (__msan_unpoison) __msan_unpoison(g->address + offset, size);
#endif
    }
    if (!returns) stop(LEFT, external, 0);
    memcpy(results, bytes, results_size);
    for (count = take32(); count; count--) {
        uint32_t arg = take32();
        char *argument = BEHIND(arg);
        if (results_size < sizeof argument) stop(REFUSED, 0, 0);
        memcpy(results, &argument, sizeof argument);
    }
#ifdef VERDIFF_SANITIZED
    if (__msan_unpoison) __msan_unpoison(results, results_size);
#endif
}

/* ---- What is printed ---- */

static void printed(uint32_t kind, uint64_t stream, const void *bytes, uint64_t size)
{
    note32(1);
    note32(kind);
    note(&stream, 8);
    note_block(bytes, size);
}
/* A FILE * that is none of the library's is only a name here: nothing behind it is looked at. */
static void printed_to(FILE *file, const void *bytes, uint64_t size)
{
    if (file == stdin || file == stdout || file == stderr)
        printed(2, file == stdin ? 0 : file == stdout ? 1 : 2, bytes, size);
    else
        printed(1, (uint64_t)file, bytes, size);
}

int __wrap_fputc(int c, FILE *file)
{
    char byte = c;
    printed_to(file, &byte, 1);
    return (unsigned char)c;
}
int __wrap_putc(int c, FILE *file) { return __wrap_fputc(c, file); }
int __wrap_putchar(int c) { return __wrap_fputc(c, stdout); }
int __wrap_putchar_unlocked(int c) { return __wrap_fputc(c, stdout); }
int __wrap_fputs(const char *s, FILE *file)
{
    printed_to(file, s, strlen(s));
    return 1; /* As glibc has it. */
}
int __wrap_puts(const char *s)
{
    size_t length = strlen(s);
    printed_to(stdout, s, length);
    printed_to(stdout, "\n", 1);
    return length + 1;
}
void __wrap_perror(const char *s)
{
    if (s) printed_to(stderr, s, strlen(s));
}
size_t __wrap_fwrite(const void *p, size_t size, size_t count, FILE *file)
{
    size_t all;
    if (__builtin_mul_overflow(size, count, &all)) stop(OUT_OF_HEAP, 0, 0);
    printed_to(file, p, all);
    return size ? count : 0;
}
ssize_t __wrap_write(int fd, const void *p, size_t size)
{
    printed(0, (uint32_t)fd, p, size);
    return size;
}
int __wrap_fflush(FILE *file) { return 0; }

static char text[1 << 16];
static int formatted(const char *format, va_list list)
{
    int length = vsnprintf(text, sizeof text, format, list);
    if (length >= (int)sizeof text) stop(OUT_OF_HEAP, 0, 0);
    return length;
}
int __wrap_vfprintf(FILE *file, const char *format, va_list list)
{
    int length = formatted(format, list);
    if (length > 0) printed_to(file, text, length);
    return length;
}
int __wrap_vprintf(const char *format, va_list list) { return __wrap_vfprintf(stdout, format, list); }
int __wrap_vdprintf(int fd, const char *format, va_list list)
{
    int length = formatted(format, list);
    if (length > 0) printed(0, (uint32_t)fd, text, length);
    return length;
}
int __wrap_printf(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __wrap_vprintf(format, list);
    va_end(list);
    return length;
}
int __wrap_fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __wrap_vfprintf(file, format, list);
    va_end(list);
    return length;
}
int __wrap_dprintf(int fd, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = __wrap_vdprintf(fd, format, list);
    va_end(list);
    return length;
}
