/* Vector extensions. */
typedef int v4 __attribute__((vector_size(16)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef unsigned char b16 __attribute__((vector_size(16)));
typedef short s4 __attribute__((vector_size(8)));
typedef float f2 __attribute__((ext_vector_type(2)));
v4 arith(v4 a, v4 b) { return a * b + (a ^ b) - 3; }
v4 shift(v4 a, v4 b) { return (a << (b & 31)) | (a >> 3); }
u4 unsigned_shift(u4 a) { return a >> 5; }
v4 compare(v4 a, v4 b) { return (a < b) + (a == b); }
v4 choose(v4 a, v4 b) { v4 m = a > b; return (a & m) | (b & ~m); }
f4 floats(f4 a, f4 b) { return a * b - a / b; }
d2 doubles(d2 a, double k) { return a * k + (d2){1, 2}; }
b16 bytes(b16 a, b16 b) { return (a + b) ^ (a & b); }
s4 shorts(s4 a, s4 b) { return a * b; }
f2 pairs(f2 a) { return a.yx * 2; }
v4 shuffle(v4 a, v4 b) { return __builtin_shufflevector(a, b, 0, 5, 2, 7); }
f4 convert(v4 a) { return __builtin_convertvector(a, f4); }
int element(v4 a, int i) { return a[i & 3]; }
v4 insert(v4 a, int i, int v) { a[i & 3] = v; return a; }
int sum(const v4 *a) { v4 t = *a; return t[0] + t[1] + t[2] + t[3]; }
void store(v4 *a, int x) { *a = (v4){x, x + 1, x + 2, x + 3}; }
int reduce(v4 a) { return __builtin_reduce_add(a) + __builtin_reduce_max(a) + __builtin_reduce_xor(a); }
v4 negate(v4 a) { return -a + ~a; }
v4 divide(v4 a, v4 b) { return a / (b | 1); }
