/* Pointers, arrays, structs, unions, bit-fields, globals, string literals, VLAs. */
#include <string.h>
#include <stddef.h>
struct point { int x, y; };
struct shape { char tag; struct point at; double weight; struct shape *next; short sides[5]; };
union word { unsigned u; float f; unsigned char b[4]; struct { unsigned short lo, hi; } h; };
struct flags { unsigned a : 3; int b : 5; unsigned c : 17; _Bool d : 1; long e : 40; };
struct __attribute__((packed)) packed { char c; int i; short s; };

int swap(int *a, int *b) { int t = *a; *a = *b; *b = t; return *a; }
void fill(int *a, int n, int v) { for (int i = 0; i < n; i++) a[i] = v + i; }
void reverse(char *s, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { char t = s[i]; s[i] = s[j]; s[j] = t; } }
long walk(const long *p, const long *end) { long s = 0; while (p < end) s += *p++; return s; }
int insertion(int *a, int n) { for (int i = 1; i < n; i++) { int k = a[i], j = i; while (j > 0 && a[j - 1] > k) { a[j] = a[j - 1]; j--; } a[j] = k; } return n; }
int matrix(int i, int j) { static const int m[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}; return m[i & 1][j & 3]; }
int local_array(int i) { int a[8]; for (int k = 0; k < 8; k++) a[k] = k * k; return a[i & 7]; }
int field(struct shape *s) { s->at.x += s->tag; s->sides[2] = s->at.y; return s->next ? s->next->at.x : -1; }
double list(struct shape *s) { double w = 0; int n = 0; for (; s && n < 10; s = s->next, n++) w += s->at.x; return w; }
int copy_struct(struct point *a, const struct point *b) { struct point t = *b; *a = t; a->y++; return t.x; }
unsigned pun(union word *w) { w->b[0] ^= 0x55; return w->u + w->h.hi; }
float pun_value(unsigned u) { union word w; w.u = u; w.b[3] = 0x40; return w.f; }
int get_flags(const struct flags *f) { return f->a + f->b * 2 + f->c * 3 + f->d * 5 + (int)(f->e & 0xff); }
void set_flags(struct flags *f, int v) { f->a = v; f->b = v >> 3; f->c += v; f->d = v; f->e -= v; }
int local_flags(int v) { struct flags f = {0}; f.b = v; f.a = 7; return f.b * 10 + f.a; }
int packed_sum(struct packed *p) { p->i++; return p->c + p->i + p->s; }
int vla(int n, int k) { n = (n & 15) + 1; int a[n]; for (int i = 0; i < n; i++) a[i] = i ^ k; int s = 0; for (int i = 0; i < n; i++) s = s * 3 + a[i]; return s; }
int vla2(int n, int m) { n = (n & 3) + 1; m = (m & 3) + 1; int a[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 7 + j; return a[n - 1][m - 1] + (int)sizeof a; }

int counter = 3;
static unsigned state[4] = {1, 2, 3, 4};
const char *names[] = {"zero", "one", "two", "three"};
struct point origin = {1, 2}, *where = &origin;
int bump(int d) { counter += d; return counter++; }
unsigned next_state(void) { unsigned t = state[0] ^ state[0] << 11; state[0] = state[1]; state[1] = state[2]; state[2] = state[3]; return state[3] ^= state[3] >> 19 ^ t ^ t >> 8; }
const char *name(int i) { return names[i & 3]; }
int letter(int i) { return "hello, world"[i % 13 < 0 ? 0 : i % 13]; }
int once(void) { static int calls = 10; return ++calls; }
struct point *move_origin(int d) { where->x += d; return where; }
int literal(void) { return (int)sizeof "abc" + "xyz"[1]; }
int compound(int a) { struct point p = (struct point){.y = a}; int *q = (int[]){1, a, 3}; return p.x + p.y + q[1] + q[2]; }
int address_of_member(struct shape *s) { short *p = &s->sides[1]; p[1] = 9; return (int)((char *)p - (char *)s); }

unsigned string_length(const char *s) { unsigned n = 0; while (s[n]) n++; return n; }
int lib_strings(char *a, const char *b) { size_t n = strlen(a); return (int)n + (strcmp(a, b) > 0) + (strchr(a, 'x') ? 3 : 0) + (int)strnlen(b, 5); }
void lib_copy(char *a, const char *b, unsigned n) { n &= 7; memmove(a, b, n); memset(a, 7, n / 2); }
int lib_compare(const void *a, const void *b, unsigned n) { int c = memcmp(a, b, n & 3); return (c > 0) - (c < 0); }
/* Undefined in C, where a difference must be a whole number of elements; rounded in the model. */
long odd_difference(char *p, char *q) { return (struct shape *)p - (struct shape *)q + ((long *)p - (long *)q); }
