/* Control flow: switch, goto, computed goto, loops, recursion, calls through pointers. */
int dense(int x) { switch (x) { case 0: return 5; case 1: return 7; case 2: case 3: return 9; case 4: x++; default: return x; } }
int sparse(long x) { switch (x) { case -5: return 1; case 1000000: return 2; case 0x7fffffffffff: return 3; } return 0; }
int range(int x) { switch (x) { case 1 ... 5: return 1; case 10 ... 20: return 2; default: return 3; } }
int chars(char c) { switch (c) { case 'a': case 'e': return 1; case '0' ... '9': return c - '0'; case '\n': return -1; } return 0; }
unsigned duff(unsigned char *to, const unsigned char *from, unsigned n)
{
    n = n % 9 + 1;
    unsigned done = 0, loops = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { to[0] ^= from[0]; done++;
    case 3: to[0] += from[0]; done++;
    case 2: to[0] ^= 3; done++;
    case 1: to[0]++; done++;
        } while (--loops > 0);
    }
    return done;
}
int jumps(int n) { int s = 0; again: if (n <= 0 || s > 100) goto out; s += n; n -= 3; goto again; out: return s; }
int irreducible(int a, int b) { int n = 0; if (a & 1) goto second; first: n += a; if (n > 50) return n; second: n += 7 + (b & 3); if (n < 100) goto first; return -n; }
int computed(const unsigned char *code, int n)
{
    static const void *const table[] = {&&inc, &&dec, &&dbl, &&end};
    int acc = 1, i = 0;
    if (n <= 0) return 0;
    goto *table[code[0] & 3];
inc: acc++; if (++i >= n) goto end; goto *table[code[i] & 3];
dec: acc -= 2; if (++i >= n) goto end; goto *table[code[i] & 3];
dbl: acc *= 2; if (++i >= n) goto end; goto *table[code[i] & 3];
end: return acc;
}
int nested(int n, int m) { int s = 0; for (int i = 0; i < (n & 15); i++) { for (int j = 0; j < (m & 15); j++) { if (j == i) continue; if (s > 500) break; s += i * j; } } return s; }
int do_while(int x) { int n = 0; do { x /= 2; n++; } while (x); return n; }
int comma(int a, int b) { return (a++, b += a, a * b); }
int elvis(int a, int b) { return a ?: b; }
int short_circuit(int *p, int a) { return p && *p > a && (*p = a, 1); }
int statement_expression(int a) { return ({ int t = a * 2; t + 1; }); }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int small_fib(int n) { return fib(n & 15); }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
int parity(unsigned n) { return is_even(n & 255); }

static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }
typedef int (*binary)(int, int);
static binary const table[] = {plus, minus, times};
int dispatch(unsigned op, int a, int b) { return table[op % 3](a, b); }
int apply(binary f, int a, int b) { return f ? f(a, b) : -1; }
binary choose(int which) { return which & 1 ? plus : minus; }
int fold(binary f, const int *v, int n) { int acc = 0; if (!f) return 0; for (int i = 0; i < n; i++) acc = f(acc, v[i]); return acc; }
struct operation { const char *name; binary run; int bias; };
int run(const struct operation *o, int x) { return o->run ? o->run(x, o->bias) : o->bias; }

int no_return_value(int x) { if (x > 3) return 1; return 0; }
void nothing(void) {}
int assertion(int x) { extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn)); if (x == 5) __assert_fail("x", "f", 1, "g"); return x; }
int aborts(int x) { extern void abort(void) __attribute__((noreturn)); if (x < -3) abort(); return x; }
int exits(int x) { extern void exit(int) __attribute__((noreturn)); if (x > 3) exit(x & 127); return x; }
int traps(int x) { if (x == 2) __builtin_trap(); return x; }
int deref_null(int x) { int *p = x == 3 ? 0 : &x; return *p; }
