/* Atomics, volatile, thread-locals, and what is not supported. */
#include <setjmp.h>
#include <stdarg.h>
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
