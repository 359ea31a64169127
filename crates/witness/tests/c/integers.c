/* Integers of every width, in all operators. */
typedef __int128 i128;
typedef unsigned __int128 u128;

signed char add8(signed char a, signed char b) { return a + b; }
unsigned char mul8(unsigned char a, unsigned char b) { return a * b; }
short sub16(short a, short b) { return a - b; }
unsigned short shift16(unsigned short a, unsigned n) { return a << (n & 15) | a >> (16 - (n & 15)); }
int arith32(int a, int b, int c) { return (a + b) * c - (a ^ b) + (~c & a); }
unsigned arith_unsigned(unsigned a, unsigned b) { return (a - b) * 2654435761u + (a | b); }
long arith64(long a, long b) { return a * b + (a >> 7) - (b << 3); }
i128 arith128(i128 a, i128 b) { return a * b - (a << 5) + (b >> 9); }
u128 mixed128(u128 a, unsigned long b) { return (a ^ b) * b + (a >> 64); }

int div32(int a, int b) { return a / b + a % b; }
unsigned udiv32(unsigned a, unsigned b) { return a / b ^ a % b; }
long div64(long a, long b) { return a / b - a % b; }
short div16(short a, short b) { return b ? a / b : a % 7; }
signed char div8(signed char a, signed char b) { return a / b; }
u128 udiv128(u128 a, u128 b) { return b ? a / b + a % b : a; }
i128 div128(i128 a, i128 b) { return b == 0 || b == -1 ? a : a / b * 3 + a % b; }
int div_constants(int a) { return a / 7 + a % 10 - a / -3 + a / 16; }

int shifts(int a, unsigned n) { return (a << (n & 31)) + (a >> (n & 31)) + (int)((unsigned)a >> (n & 31)); }
int over_shift(int a, unsigned n) { n &= 31; return n == 0 ? a : a >> n; }
int compare(int a, int b) { return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b); }
int compare_unsigned(unsigned a, unsigned b) { return (a < b) + 2 * (a <= b) + 16 * (a > b) + 32 * (a >= b); }
int compare_mixed(int a, unsigned b, long c, short d) { return (a < b) + 2 * (b < c) + 4 * (d < a) + 8 * (d < b); }
int compare128(i128 a, i128 b) { return (a < b) + 2 * (a == b) + 4 * ((u128)a < (u128)b); }

_Bool truth(int a, int b) { return a && !b; }
_Bool from_int(long a) { return a; }
_Bool bool_add(_Bool a, _Bool b) { return a + b; }
int from_bool(_Bool a, _Bool b) { return a * 10 + b; }
int logic(int a, int b, int c) { return a && b || !c ? a ? b : c : -1; }

unsigned _BitInt(24) bits24(unsigned _BitInt(24) a, unsigned _BitInt(24) b) { return a * b + 1; }
_BitInt(7) bits7(_BitInt(7) a, _BitInt(7) b) { return a + b; }
_BitInt(100) bits100(_BitInt(100) a, _BitInt(100) b) { return a * b - a; }

enum colour { RED, GREEN = 5, BLUE = -3 };
enum colour next(enum colour c) { return c == RED ? GREEN : c == GREEN ? BLUE : RED; }
int enumerated(enum colour c) { switch (c) { case RED: return 1; case GREEN: return 2; case BLUE: return 3; } return 4; }

unsigned gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
int collatz(unsigned n) { int s = 0; while (n > 1 && s < 200) { n = n & 1 ? 3 * n + 1 : n / 2; s++; } return s; }
int increments(int a) { int b = a++ + ++a; b -= a-- - --a; b += a += 3; b <<= 1; b ^= a; b |= 4; b &= ~8; b %= 1000; return b; }
