/* The driver that calls compiled procedures. It is linked with a wrapped program (see
 * the callable module of verdiff-front) and serves jobs on standard input until that closes;
 * protocol.rs is the other side of every message, and says what is in them.
 *
 * It is a sandbox for code that is expected to crash: faults, exit and abort come back here and
 * become outcomes; what the program prints and whom it calls outside is kept in a log; it has no
 * descriptors but the driver's two and /dev/null; memory and time are limited.
 * It ends when its standard input closes, so it never outlives its parent by more than one job.
 *
 * With VERDIFF_SANITIZED each job runs in a process of its own, as a sanitizer's report
 * ends the process, and the sanitizer's allocator is left alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern void (*const verdiff_wrappers[])(const char *args, char *results);
extern char *const verdiff_functions[];
extern char *const verdiff_globals[];
extern char *const verdiff_externals[];
/* Globals that the program only declares and nobody defines; see outside.rs. */
extern char *const verdiff_outside[] __attribute__((weak));

enum kind {
    RETURNED = 0, SIGNALLED = 1, EXITED = 2, LEFT = 3, TIMED_OUT = 4, BAD_FREE = 5,
    ASSERT_FAILED = 6, ABORTED = 7, OUT_OF_HEAP = 8, REPORTED = 9, REFUSED = 10
};
enum { IN = 100, OUT = 101, PAGE = 4096, MAX_OBJECTS = 4096, AREA = 1 << 16 };

/* A buffer that grows, outside of the heap that the program may damage. */
struct buffer { char *data; size_t size, used; };

struct global { char *address; uint64_t size; uint32_t writable, changed; char *snapshot; };
struct object { char *address; uint64_t size; char *page; uint64_t mapped; int freed; };

static struct buffer input, output;
static struct global *globals;
static struct object objects[MAX_OBJECTS];
static uint32_t function_count, global_count, external_count, object_count, objects_mapped;
static _Alignas(64) char args[AREA], results[AREA];
static const char *cursor, *limit;

static sigjmp_buf back;
static volatile sig_atomic_t running;
static struct { int kind, detail; uint64_t address; } ended;

/* Not `_exit`: its calls, these among them, go to the wrapper below. */
__attribute__((noreturn)) static void give_up(int status)
{
    for (;;) syscall(SYS_exit_group, status);
}

static char *pages(size_t size)
{
    char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) give_up(90);
    return p;
}

static void reserve(struct buffer *b, size_t size)
{
    if (size <= b->size) return;
    size_t bigger = (size * 2 + PAGE) / PAGE * PAGE;
    char *p = pages(bigger);
    if (b->data) {
        memcpy(p, b->data, b->used);
        munmap(b->data, b->size);
    }
    b->data = p;
    b->size = bigger;
}

static void put(const void *data, size_t size)
{
    reserve(&output, output.used + size);
    memcpy(output.data + output.used, data, size);
    output.used += size;
}
static void put32(uint32_t x) { put(&x, 4); }
static void put64(uint64_t x) { put(&x, 8); }

/* A message is its length in 32 bits and then as many bytes. */
static void begin_message(void) { output.used = 0; put32(0); }
static void send_message(void)
{
    uint32_t length = output.used - 4;
    memcpy(output.data, &length, 4);
    for (size_t done = 0; done < output.used;) {
        ssize_t n = syscall(SYS_write, OUT, output.data + done, output.used - done); /* `write` is wrapped. */
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) give_up(0);
        done += n;
    }
}

static void read_exactly(char *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(IN, to + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) give_up(0); /* The parent is done with us, or gone. */
        done += n;
    }
}

static void receive_message(void)
{
    uint32_t length;
    read_exactly((char *)&length, 4);
    input.used = 0;
    reserve(&input, length);
    read_exactly(input.data, length);
    cursor = input.data;
    limit = input.data + length;
}

static const char *take(size_t size)
{
    const char *p = cursor;
    if ((size_t)(limit - cursor) < size) give_up(91);
    cursor += size;
    return p;
}
static uint32_t take32(void) { uint32_t x; memcpy(&x, take(4), 4); return x; }
static uint64_t take64(void) { uint64_t x; memcpy(&x, take(8), 8); return x; }

/* ---- How a run ends other than by returning ---- */

__attribute__((noreturn)) static void stop(int kind, int detail, uint64_t address)
{
    if (!running) give_up(92);
    running = 0;
    ended.kind = kind;
    ended.detail = detail;
    ended.address = address;
    siglongjmp(back, 1);
}

#include "outside.c"

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!running) {
        if (number == SIGPROF) return; /* The run ended as its time ran out. */
        give_up(93);
    }
    stop(number == SIGPROF ? TIMED_OUT : SIGNALLED, number, (uint64_t)info->si_addr);
}

void __wrap_exit(int status) { stop(EXITED, status, 0); }
void __wrap__exit(int status) { stop(EXITED, status, 0); }
void __wrap_quick_exit(int status) { stop(EXITED, status, 0); }
void __wrap__Exit(int status) { stop(EXITED, status, 0); }
void __wrap_abort(void) { stop(ABORTED, 0, 0); }
void __wrap___assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)text, (void)file, (void)line, (void)function;
    stop(ASSERT_FAILED, 0, 0);
}

#include "heap.c"

/* ---- A job ---- */

/* Objects lie at the addresses the interpreter gives them. An object's pages stay mapped
 * for the next job as far as that needs the same ones; the page after its end never is. */
static int map_object(uint32_t index, char *address, uint64_t size)
{
    struct object *o = &objects[index];
    char *page = (char *)((uint64_t)address / PAGE * PAGE);
    uint64_t wanted = size ? (uint64_t)(address + size - page + PAGE - 1) / PAGE * PAGE : 0;
    if (o->mapped && (o->page != page || o->mapped > wanted)) {
        munmap(o->page, o->mapped);
        o->mapped = 0;
    }
    if (o->mapped < wanted) {
        char *from = page + o->mapped;
        void *got = mmap(from, wanted - o->mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != from) return 0;
        o->page = page;
        o->mapped = wanted;
    }
    o->address = address;
    o->size = size;
    o->freed = 0;
    return 1;
}

static void unmap_from(uint32_t index)
{
    for (uint32_t i = index; i < objects_mapped; i++) {
        if (objects[i].mapped) munmap(objects[i].page, objects[i].mapped);
        objects[i].mapped = 0;
    }
}

#ifdef VERDIFF_SANITIZED
/* Only the object itself may be accessed, not the rest of its pages. */
static void fence(struct object *o)
{
    if (__msan_unpoison) __msan_unpoison(o->address, o->size);
    if (!__asan_poison_memory_region) return;
    __asan_poison_memory_region(o->page, o->mapped);
    __asan_unpoison_memory_region(o->address, o->size);
}
#endif

#ifdef VERDIFF_SANITIZED
extern char verdiff_before_constants[] __attribute__((weak));
extern char verdiff_before_data[] __attribute__((weak));
extern char verdiff_before_zeros[] __attribute__((weak));

/* Poisons what lies before the first global of a section; toolchain.rs says why and what that is. */
static void fence_before(char *start)
{
    enum { SIZE = 1024, GAP = 256 };
    char *first = 0;
    for (uint32_t i = 0; i < global_count; i++) {
        char *g = globals[i].address;
        if (g > start && (!first || g < first)) first = g;
    }
    if (start && first && first - start >= SIZE && first - start <= SIZE + GAP && __asan_poison_memory_region)
        __asan_poison_memory_region(start, first - start);
}
#endif

static uint32_t milliseconds;

static int set_up(uint32_t *procedure, uint32_t *results_size)
{
    milliseconds = take32();
    *procedure = take32();
    *results_size = take32();
    uint32_t args_size = take32();
    if (*procedure >= function_count || args_size > AREA || *results_size > AREA) return 0;
    memcpy(args, take(args_size), args_size);
    memset(results, 0, *results_size);
    object_count = take32();
    if (object_count > MAX_OBJECTS) give_up(94);
    for (uint32_t i = 0; i < object_count; i++) {
        char *address = (char *)take64();
        uint32_t size = take32();
        const char *bytes = take(size);
        if (i >= objects_mapped) objects_mapped = i + 1;
        if (!map_object(i, address, size)) {
            object_count = 0;
            unmap_from(0);
            return 0;
        }
        memcpy(address, bytes, size);
    }
    unmap_from(object_count);
    objects_mapped = object_count;
    for (uint32_t i = 0; i < global_count; i++)
        if (globals[i].changed) {
            memcpy(globals[i].address, globals[i].snapshot, globals[i].size);
            globals[i].changed = 0;
        }
    for (uint32_t count = take32(); count; count--) {
        uint32_t id = take32(), size = take32();
        const char *bytes = take(size);
        if (id >= global_count || size > globals[id].size || !globals[id].writable) return 0;
        memcpy(globals[id].address, bytes, size);
        globals[id].changed = 1;
    }
    for (uint32_t count = take32(); count; count--) {
        uint32_t place = take32(), index = take32();
        uint64_t offset = take64();
        uint32_t target = take32(), id = take32();
        uint64_t address = take64();
        if (target == 0) address += (uint64_t)(id < global_count ? globals[id].address : 0);
        else if (target == 1) address += (uint64_t)verdiff_functions[id];
        else address += (uint64_t)verdiff_externals[id];
        char *to = place == 0 ? args : place == 1 ? objects[index].address : globals[index].address;
        memcpy(to + offset, &address, 8);
    }
    begin_heap();
    begin_log(); /* The script is the rest of the message, and is read as it is needed. */
#ifdef VERDIFF_SANITIZED
    for (uint32_t i = 0; i < object_count; i++) fence(&objects[i]);
    if (__msan_unpoison) {
        __msan_unpoison(args, args_size);
        for (uint32_t i = 0; i < global_count; i++)
            if (globals[i].changed) __msan_unpoison(globals[i].address, globals[i].size);
    }
#else
    arena_used = 0;
    block_count = 0;
#endif
    return 1;
}

static void set_timer(uint32_t ms)
{
    struct itimerval t = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};
    setitimer(ITIMER_PROF, &t, 0);
}

static void run(uint32_t procedure)
{
#ifdef __x86_64__
    /* A run that ended amid floating-point code must not be felt by the next one. */
    uint32_t control = 0x1f80;
    __asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(control));
#endif
    memset(&ended, 0, sizeof ended);
    errno = 0;
    set_timer(milliseconds);
    if (!sigsetjmp(back, 0)) {
        running = 1;
        verdiff_wrappers[procedure](args, results);
        running = 0;
    }
    set_timer(0);
}

static void put_end(int kind, int detail, uint64_t address)
{
    put32(kind);
    put32(detail);
    put64(address);
}

#ifdef VERDIFF_SANITIZED
/* Whether something that is reported was stored without a value. */
static int has_unset(void)
{
    if (!__msan_test_shadow) return 0;
    for (uint32_t i = 0; i < object_count; i++)
        if (!objects[i].freed && __msan_test_shadow(objects[i].address, objects[i].size) >= 0) return 1;
    for (uint32_t i = 0; i < global_count; i++)
        if (globals[i].writable && __msan_test_shadow(globals[i].address, globals[i].size) >= 0) return 1;
    return 0;
}
#endif

static void report(uint32_t results_size)
{
#ifdef VERDIFF_SANITIZED
    if (ended.kind == 0) ended.detail = has_unset();
#endif
    begin_message();
    put_end(ended.kind, ended.detail, ended.address);
    put32(results_size);
    put(results, results_size);
    put32(object_count);
    for (uint32_t i = 0; i < object_count; i++) {
        struct object *o = &objects[i];
#ifdef VERDIFF_SANITIZED
        if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(o->page, o->mapped);
#endif
        put32(o->freed);
        put32(o->size);
        put(o->address, o->size);
    }
    uint32_t changed = 0;
    for (uint32_t i = 0; i < global_count; i++) {
        struct global *g = &globals[i];
        g->changed = g->writable && memcmp(g->address, g->snapshot, g->size) != 0;
        changed += g->changed;
    }
    put32(changed);
    for (uint32_t i = 0; i < global_count; i++)
        if (globals[i].changed) {
            put32(i);
            put32(globals[i].size);
            put(globals[i].address, globals[i].size);
        }
#ifdef VERDIFF_SANITIZED
    put32(0);
#else
    /* What a caller could reach on the heap; a large heap is left out. */
    uint32_t alive = 0;
    for (uint32_t i = 0; i < block_count; i++) alive += blocks[i].alive;
    if (arena_used > 1 << 18) alive = 0;
    put32(alive);
    for (uint32_t i = 0; i < block_count && alive; i++)
        if (blocks[i].alive) {
            put64((uint64_t)blocks[i].address);
            put32(blocks[i].size);
            put(blocks[i].address, blocks[i].size);
        }
#endif
    put_log();
    send_message();
}

static void refuse(int kind, int detail, uint64_t address, const char *text)
{
    begin_message();
    put_end(kind, detail, address);
    put32(strlen(text));
    put(text, strlen(text));
    put32(0);
    put32(0);
    put32(0);
    put_log();
    send_message();
}

static void serve_job(void)
{
    uint32_t procedure = 0, results_size = 0;
    if (set_up(&procedure, &results_size) && verdiff_wrappers[procedure]) {
        run(procedure);
        report(results_size);
    } else {
        refuse(REFUSED, 0, 0, "the job does not fit the program");
    }
}

#ifdef VERDIFF_SANITIZED
static char *report_text; /* Shared with the process that runs the job. */
enum { REPORT = 4096 };

void __sanitizer_report_error_summary(const char *text)
{
    strncpy(report_text, text, REPORT - 1);
}

/* The parent of all jobs keeps neither objects nor poison of theirs. */
static void job_in_process(void)
{
    memset(report_text, 0, REPORT);
    log_used = 0;
    pid_t child = fork();
    if (child < 0) give_up(95);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_job();
        give_up(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL))
        refuse(TIMED_OUT, 0, 0, "");
    else if (report_text[0])
        refuse(REPORTED, 0, 0, report_text);
    else if (WIFSIGNALED(status))
        refuse(SIGNALLED, WTERMSIG(status), 0, "");
    else
        refuse(REPORTED, WEXITSTATUS(status), 0, "a sanitizer's exit without a report");
}
#endif

/* ---- The process ---- */

static void lower_limits(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifndef VERDIFF_SANITIZED
    struct rlimit memory = {(rlim_t)3 << 30, (rlim_t)3 << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
}

static void catch_signals(void)
{
#ifndef VERDIFF_SANITIZED
    static char *stack;
    stack = pages(1 << 16);
    stack_t alternative = {.ss_sp = stack, .ss_size = 1 << 16};
    sigaltstack(&alternative, 0);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF, SIGSYS};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, 0);
#else
    (void)on_signal;
#endif
}

static void configure(void)
{
    receive_message();
    function_count = take32();
    external_count = take32();
    global_count = take32();
    globals = (struct global *)pages((global_count + 1) * sizeof *globals);
    begin_message();
    for (uint32_t i = 0; i < function_count; i++) put64((uint64_t)verdiff_functions[i]);
    for (uint32_t i = 0; i < external_count; i++) put64((uint64_t)verdiff_externals[i]);
    for (uint32_t i = 0; i < global_count; i++) {
        struct global *g = &globals[i];
        g->address = verdiff_globals[i];
        if (!g->address && verdiff_outside) g->address = verdiff_outside[i];
        g->size = take64();
        g->writable = take32() && g->address;
        if (g->writable && g->size) {
            g->snapshot = pages(g->size);
            memcpy(g->snapshot, g->address, g->size);
        }
        put64((uint64_t)g->address);
    }
#ifdef VERDIFF_SANITIZED
    fence_before(verdiff_before_constants);
    fence_before(verdiff_before_data);
    fence_before(verdiff_before_zeros);
#endif
    send_message();
}

static void *serve(void *unused)
{
    (void)unused;
    catch_signals();
    configure();
    for (;;) {
        receive_message();
#ifdef VERDIFF_SANITIZED
        job_in_process();
#else
        serve_job();
#endif
    }
    return 0;
}

int main(void)
{
    if (dup2(0, IN) < 0 || dup2(1, OUT) < 0) give_up(96);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) dup2(null, fd);
    /* Whatever else was inherited is none of the program's business. */
    close_range(3, IN - 1, 0);
    close_range(OUT + 1, ~0U, 0);
    lower_limits();
    make_log();
#ifdef VERDIFF_SANITIZED
    report_text = mmap(0, REPORT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    serve(0);
#else
    arena = pages(ARENA);
    blocks = (void *)pages(MAX_BLOCKS * sizeof *blocks);
    /* A deep stack: the interpreter allows deep recursion too. */
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)512 << 20);
    sigset_t all;
    sigfillset(&all);
    if (pthread_create(&thread, &attributes, serve, 0)) give_up(97);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    pthread_join(thread, 0);
#endif
    return 0;
}
