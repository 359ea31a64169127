/* Every cast. */
typedef __int128 i128;
typedef unsigned __int128 u128;

long widen(signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f)
{
    return (long)a + (long)b * 3 + (long)c * 5 + (long)d * 7 + (long)e * 11 + (long)f * 13;
}
int narrow(long a) { return (signed char)a + (unsigned char)a * 3 + (short)a * 5 + (unsigned short)a * 7 + (int)a; }
i128 to128(long a, unsigned long b) { return (i128)a * 3 + b; }
long from128(i128 a) { return (long)a + (int)(a >> 70); }
double int_to_double(int a, unsigned b, long c, unsigned long d) { return (double)a + (double)b * 2 + (double)c * 3 + (double)d * 5; }
float int_to_float(int a, unsigned b, long c, unsigned long d) { return (float)a + (float)b + (float)c + (float)d; }
float small_to_float(signed char a, unsigned char b, short c) { return (float)a - (float)b + (float)c; }
long double int_to_long_double(int a, unsigned long b, i128 c) { return (long double)a + (long double)b - (long double)c; }
double i128_to_double(i128 a) { return (double)a; }
float u128_to_float(u128 a) { return (float)a; }
int double_to_int(double x) { return x > -2e9 && x < 2e9 ? (int)x : 0; }
unsigned double_to_unsigned(double x) { return x > -1 && x < 4e9 ? (unsigned)x : 7; }
long double_to_long(double x) { return x > -9e18 && x < 9e18 ? (long)x : 1; }
unsigned long double_to_ulong(double x) { return x > -1 && x < 1.8e19 ? (unsigned long)x : 1; }
int float_to_int(float x) { return x > -2e9f && x < 2e9f ? (int)x : 0; }
signed char float_to_char(float x) { return x > -100 && x < 100 ? (signed char)x : 0; }
unsigned char double_to_uchar(double x) { return x > -1 && x < 255 ? (unsigned char)x : 0; }
long long_double_to_long(long double x) { return x > -9e18L && x < 9e18L ? (long)x : 0; }
i128 double_to_i128(double x) { return x > -1e38 && x < 1e38 ? (i128)x : 0; }
int wild_double_to_int(double x) { return (int)x; }
long wild_double_to_long(double x) { return (long)x; }
unsigned wild_float_to_unsigned(float x) { return (unsigned)x; }
unsigned long wild_double_to_ulong(double x) { return (unsigned long)x; }
short wild_double_to_short(double x) { return (short)x; }
float to_float(double x) { return (float)x; }
double to_double(float x) { return (double)x; }
long double to_long_double(double x, float y) { return (long double)x + (long double)y; }
double from_long_double(long double x) { return (double)x; }
float float_from_long_double(long double x) { return (float)x; }
_Bool double_to_bool(double x) { return (_Bool)x; }
_Bool pointer_to_bool(char *p) { return p; }
unsigned long pointer_to_int(char *p) { return (unsigned long)p; }
long pointer_difference(int *p, int *q) { return (char *)p - (char *)q; }
char *int_to_pointer(char *p) { unsigned long n = (unsigned long)p; n += 1; n -= 1; return (char *)n; }
unsigned float_bits(float x) { union { float f; unsigned u; } v = {x == x ? x : 0}; return v.u; }
float bits_float(unsigned u) { union { unsigned u; float f; } v = {u}; return v.f; }
unsigned long double_bits(double x) { unsigned long u; x = x == x ? x : 0; __builtin_memcpy(&u, &x, 8); return u; }
