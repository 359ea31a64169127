/* Structs and unions by value, as the ABI coerces them. */
struct s1 { char c; };
struct s3 { char c[3]; };
struct s8 { int a, b; };
struct s12 { int a, b, c; };
struct s16 { long a; double b; };
struct s24 { long a, b, c; };
struct f2 { float x, y; };
struct f3 { float x, y, z; };
struct fi { float x; int i; };
struct dd { double x, y; };
struct pad { char c; double d; };
struct ptrs { char *p; int n; };
struct ld { long double x; };
union u { int i; float f; char c[8]; };
struct empty {};
struct nested { struct f2 a; struct s1 b; };

struct s1 take1(struct s1 s) { s.c++; return s; }
struct s3 take3(struct s3 s, int i) { s.c[i & 1] ^= 5; return s; }
struct s8 take8(struct s8 s, int d) { s.a += d; s.b -= s.a; return s; }
struct s12 take12(struct s12 s) { s.c = s.a + s.b; return s; }
struct s16 take16(struct s16 s) { s.a *= 3; s.b += 1; return s; }
struct s24 take24(struct s24 s, long d) { s.c += d; s.a = s.b; return s; }
struct f2 takef2(struct f2 s) { float t = s.x; s.x = s.y; s.y = t; return s; }
struct f3 takef3(struct f3 s, float k) { s.x *= k; s.z += s.y; return s; }
struct fi takefi(struct fi s) { s.i++; s.x = -s.x; return s; }
struct dd takedd(struct dd a, struct dd b) { a.x += b.y; return a; }
struct pad takepad(struct pad s) { s.c = 1; return s; }
int takeptrs(struct ptrs s) { int t = 0; for (int i = 0; i < s.n && i < 4; i++) t += i; return t + (s.p != 0); }
struct ld takeld(struct ld s) { s.x = s.x + 1; return s; }
union u takeu(union u s) { s.c[1] = 3; return s; }
int take_empty(struct empty e, int a) { (void)e; return a; }
struct nested take_nested(struct nested n) { n.a.x = n.b.c; return n; }
int many(struct s8 a, struct s24 b, int c, struct f2 d, struct s16 e, struct s24 f) { return a.a + (int)b.b + c + (d.x < d.y) + (int)e.a + (int)f.c; }

static struct s24 make(long x) { return (struct s24){x, x + 1, x + 2}; }
static int sum8(struct s8 s) { return s.a + s.b; }
static struct dd pair(double x) { return (struct dd){x, -x}; }
long call_make(long x) { return make(x).b + make(x + 1).c; }
int call_sum8(int a, int b) { return sum8((struct s8){a, b}); }
double call_pair(double x) { struct dd p = pair(x); return p.x * 2 + p.y; }
int call_take24(long x) { struct s24 s = {1, 2, 3}; struct s24 t = take24(s, x); return (int)(t.c + s.c); }
signed char ret8(int x) { return x; }
unsigned short ret16(int x) { return x; }
int use_ret(int x) { return ret8(x) + ret16(x); }
int params(signed char a, unsigned char b, short c, unsigned short d, _Bool e) { return a + b + c + d + e; }
long stack_params(long a, long b, long c, long d, long e, long f, long g, char h, double i, float j) { return a - b + c - d + e - f + g - h + (i > j); }
