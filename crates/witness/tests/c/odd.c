/* Atomics, volatile, thread-locals, and what is not supported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdatomic.h>
atomic_int shared;
int fetch(int d) { return atomic_fetch_add(&shared, d) + atomic_load(&shared); }
int exchange(int v) { return atomic_exchange(&shared, v); }
_Bool swap_if(int old, int new) { return atomic_compare_exchange_strong(&shared, &old, new); }
int ands(atomic_int *p, int v) { return atomic_fetch_and(p, v) + atomic_fetch_or(p, 3) + atomic_fetch_xor(p, v); }
int legacy(int *p, int v) { return __sync_fetch_and_add(p, v) + __sync_bool_compare_and_swap(p, v, 3); }
unsigned least(unsigned *p, unsigned v) { return __atomic_fetch_min(p, v, __ATOMIC_SEQ_CST); }
volatile int port;
int poll(void) { port = port + 1; return port; }
int watch(volatile int *p, int n) { int s = 0; for (int i = 0; i < (n & 3); i++) s += *p; *p = s; return s; }
int barrier(int x) { __asm__ volatile("" ::: "memory"); return x + 1; }
int hide(int x) { __asm__("" : "+r"(x)); return x * 2; }
void fence(void) { atomic_thread_fence(memory_order_seq_cst); }
int variadic(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n-- > 0) s += va_arg(l, int); va_end(l); return s; }
jmp_buf buffer;
int jumps(int x) { return setjmp(buffer) ? 1 : x; }
int assembly(int x) { int y; __asm__("movl %1, %0\n\taddl $1, %0" : "=r"(y) : "r"(x)); return y; }

// Variadic arguments: in registers of both kinds, on the stack, as copies of a list, handed on.
double mixed(const char *kinds, ...) { va_list l; va_start(l, kinds); double s = 0; for (int i = 0; i < 20 && kinds[i]; i++) s += kinds[i] & 1 ? va_arg(l, double) : va_arg(l, long); va_end(l); return s; }
long tenth(int n, ...) { va_list l; va_start(l, n); long x = 0; for (int i = 0; i < 10; i++) x = va_arg(l, long); va_end(l); return x ^ n; }
static long from(va_list l, int n) { long s = 0; while (n-- > 0) s = s * 31 + va_arg(l, int); return s; }
long handed_on(int n, double d, ...) { va_list l, k; va_start(l, d); va_copy(k, l); long s = from(l, n & 15) + va_arg(k, int); va_end(k); va_end(l); return s + (d > 1); }
long calls_variadic(int a, double b, long c) { return handed_on(8, b, a, (int)c, 3, 4, a, 6, 7, (int)c) + tenth(a, c, c + 1, 2L, 3L, 4L, 5L, 6L, 7L, 8L, c) + (long)mixed("abcdefghijklm", 1.0, c, 2.0, 3L, 4.0, 5L, 6.0, 7L, 8.0, 9L, b, 11L, 12.0); }
static int say(int kind, ...) { char t[90]; va_list l; va_start(l, kind); int n = kind ? vprintf("%d|%5.2f|%lx|%c\n", l) : vsnprintf(t, 90, "%d %ld %d %d %d %d %d %g", l); va_end(l); return kind ? n : n + t[0] + t[1]; }
int says(int a, double b, long c) { say(1, a, b, c, 'x'); return say(0, a, c, 1, 2, 3, 4, 5, b); }
