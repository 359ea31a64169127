/* Builtins and the intrinsics they become. */
#include <stdlib.h>
int absolute(int a) { return abs(a); }
long absolute_l(long a) { return labs(a) + __builtin_labs(a); }
unsigned swaps(unsigned short a, unsigned b, unsigned long c) { return __builtin_bswap16(a) + __builtin_bswap32(b) + (unsigned)__builtin_bswap64(c); }
int counts(unsigned a, unsigned long b) { return __builtin_popcount(a) + __builtin_popcountl(b) * 2 + __builtin_parity(a) * 3; }
int zeros(unsigned a, unsigned long b) { return a && b ? __builtin_clz(a) + 2 * __builtin_ctz(a) + 3 * __builtin_clzl(b) + 5 * __builtin_ctzl(b) : -1; }
int first(int a, long b) { return __builtin_ffs(a) + 2 * __builtin_ffsl(b); }
int redundant(int a, long b) { return __builtin_clrsb(a) + 2 * __builtin_clrsbl(b); }
unsigned rotates(unsigned a, unsigned n) { return __builtin_rotateleft32(a, n) ^ __builtin_rotateright32(a, n >> 1); }
unsigned long rotates64(unsigned long a, unsigned n) { return __builtin_rotateleft64(a, n) + (a << (n & 63) | a >> (-n & 63)); }
unsigned char rotate8(unsigned char a, unsigned char n) { return __builtin_rotateleft8(a, n); }
unsigned reverse_bits(unsigned a, unsigned char b) { return __builtin_bitreverse32(a) + __builtin_bitreverse8(b); }

int add_overflow(int a, int b, int *r) { return __builtin_add_overflow(a, b, r); }
int sub_overflow(unsigned a, unsigned b, unsigned *r) { return __builtin_sub_overflow(a, b, r); }
int mul_overflow(long a, long b, long *r) { return __builtin_mul_overflow(a, b, r); }
int mul_overflow_u(unsigned long a, unsigned long b, unsigned long *r) { return __builtin_mul_overflow(a, b, r); }
int mixed_overflow(int a, unsigned b, short *r) { return __builtin_add_overflow(a, b, r); }
int mixed_mul_overflow(long a, unsigned long b, long *r) { return __builtin_mul_overflow(a, b, r); }
int narrow_overflow(signed char a, signed char b, signed char *r) { return __builtin_mul_overflow(a, b, r); }
int overflow_predicate(int a, int b) { int t; return __builtin_sadd_overflow(a, b, &t) ? t : -t; }
unsigned carry(unsigned a, unsigned b, unsigned c, unsigned *out) { return __builtin_addc(a, b, c & 1, out); }
int saturating(int a, int b) { return __builtin_elementwise_add_sat(a, b) ^ __builtin_elementwise_sub_sat(a, b); }
unsigned saturating_u(unsigned a, unsigned b) { return __builtin_elementwise_add_sat(a, b) ^ __builtin_elementwise_sub_sat(a, b); }
int least(int a, int b) { return __builtin_elementwise_min(a, b) * 2 + __builtin_elementwise_max(a, b); }
unsigned least_u(unsigned a, unsigned b) { return __builtin_elementwise_min(a, b) * 2 + __builtin_elementwise_max(a, b); }
int elementwise_abs(int a) { return __builtin_elementwise_abs(a); }

int expected(int a) { if (__builtin_expect(a > 3, 0)) return 1; return __builtin_expect_with_probability(a == 1, 1, 0.9) ? 2 : 3; }
int assumed(int a) { if (a < 0) a = 0; __builtin_assume(a >= 0); return a / 2; }
int unreachable(int a) { switch (a & 3) { case 0: return 1; case 1: return 2; case 2: return 3; case 3: return 4; default: __builtin_unreachable(); } }
int sizes(char *p) { char local[12]; return (int)__builtin_object_size(local, 0) + (int)__builtin_object_size(local + 4, 1) + (__builtin_object_size(p, 0) == (unsigned long)-1); }
int dynamic_size(unsigned n) { char local[8]; return (int)__builtin_dynamic_object_size(local + (n & 3), 0); }
int constant(int a) { return __builtin_constant_p(a) + __builtin_constant_p(3); }
int same_types(int a) { return __builtin_types_compatible_p(int, unsigned) + a; }
int choose(int a) { return __builtin_choose_expr(1, a, "no"); }
void prefetch(int *p) { __builtin_prefetch(p); *p = 1; }
int generic(float a, int b) { return _Generic(a, float: 1, int: 2) + _Generic(b, float: 1, int: 2); }
int from_text(const char *s) { return atoi(s); }
void copies(char *a, const char *b) { __builtin_memcpy_inline(a, b, 1); __builtin_memset_inline(a, 3, 1); }
int sign(double x) { return __builtin_signbit(x == x ? x : 0); }
int frame_free(int a) { return __builtin_offsetof(struct { char c; int i; }, i) + a; }
void *stack(int n) { char *p = __builtin_alloca((n & 15) + 1); p[0] = 1; p[n & 15] = 2; return p[0] ? 0 : p; }
int is_nan(float a, double b) { return __builtin_isnan(a) + 2 * __builtin_isinf(b) + 4 * __builtin_isnormal(b); }
int fp_class(double x) { return __builtin_fpclassify(0, 1, 2, 3, 4, x); }
int is_fp_class(float x) { return __builtin_isfpclass(x, 0x0264); }
/* Undefined in C, defined in the model, and so in the program it is compared with. */
int zeros_of_zero(unsigned a) { a &= 3; return __builtin_clz(a) + 100 * __builtin_ctz(a); }
void overlap(char *p) { __builtin_memcpy(p + 1, p, 16); __builtin_memcpy(p, p + 3, 24); }
