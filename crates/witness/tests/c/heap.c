/* Allocation, and calls of library functions, variadic ones too. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
struct node *cons(int value, struct node *next) { struct node *n = malloc(sizeof *n); if (!n) return 0; n->value = value; n->next = next; return n; }
struct node *two(int a, int b) { return cons(a, cons(b, 0)); }
char *duplicate(const char *s) { size_t n = strlen(s) + 1; char *p = malloc(n); return p ? memcpy(p, s, n) : 0; }
int boxed(int x) { int *p = malloc(sizeof *p); if (!p) return 0; *p = x; x = *p * 2; free(p); return x; }
int zeroed(unsigned n) { n &= 31; char *p = calloc(n + 1, 2); int r = p[n]; free(p); return r; }
int *grow(int n) { n &= 7; int *p = malloc(4); *p = 5; p = realloc(p, (n + 1) * sizeof *p); for (int i = 1; i <= n; i++) p[i] = i; return p; }
void release(struct node *n) { free(n); }
int double_free(int x) { char *p = malloc(3); free(p); if (x > 3) free(p); return x; }
int free_local(int x) { if (x > 3) free(&x); return x; }
struct node *push(struct node **head, int v) { struct node *n = cons(v, *head); *head = n; return n; }

int format(int a, const char *s) { char t[20]; int n = snprintf(t, sizeof t, "%d %.9s %c", a, s, 'x'); return n * 256 + t[0]; }
int format_into(int a, unsigned b) { char t[64]; int n = snprintf(t, sizeof t, "%d|%5u|%-4x|%08lx", a, b, b, (long)a); return n * 256 + t[2]; }
int print(int a) { return printf("%d\n", a) + puts("x") * 0; }
int classify(int c) { c &= 127; return !!isalpha(c) + 2 * !!isdigit(c) + 4 * !!isspace(c) + 8 * (toupper(c) == c); }
long parse(const char *s) { char *end; long v = strtol(s, &end, 0); return v * 2 + (end - s); }
static int ascending(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
void sort(int *v, int n) { if (n > 0) qsort(v, n, sizeof *v, ascending); }
int find(const int *v, int n, int key) { const int *p = bsearch(&key, v, n > 0 ? n : 0, sizeof *v, ascending); return p ? *p : -1; }
int external(int x) { extern int elsewhere(int); return x > 0 ? elsewhere(x) : x; }
static int count(int n, ...) { return n; }
int call_variadic(int a, double b) { return count(a, b, a, "x") + count(3); }
