/* Floating point: arithmetic, comparison, classification, rounding. */
#include <math.h>
float arith_f(float a, float b, float c) { return a * b + c / b - a; }
double arith_d(double a, double b, double c) { return a * b + c / b - a; }
long double arith_l(long double a, long double b) { return a * b - a / b + 1; }
_Float16 arith_h(_Float16 a, _Float16 b) { return a * b + a; }
double mixed(float a, double b, int c) { return a + b * c; }
double negate(double x) { return -x; }
float absolute_f(float x) { return fabsf(x); }
int compare_d(double a, double b) { return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b); }
int compare_f(float a, float b) { return !(a < b) + 2 * !(a >= b) + 4 * !(a == b); }
int compare_l(long double a, long double b) { return (a < b) + 2 * (a == b) + 4 * (a > b); }
int unordered(double a, double b) { return isless(a, b) + 2 * isgreater(a, b) + 4 * isunordered(a, b) + 8 * islessgreater(a, b); }
int classify(double x) { return isnan(x) + 2 * isinf(x) * isinf(x) + 4 * isfinite(x) + 8 * isnormal(x); }
int classify_f(float x) { return __builtin_isnan(x) + 2 * __builtin_isinf_sign(x) + 8 * __builtin_isfinite(x); }
int sign_bit(double x) { return isnan(x) ? 7 : !!signbit(x); }
double copy_sign(double a, double b) { return isnan(b) ? 0 : copysign(a, b); }
double rounding(double x) { return floor(x) + 2 * ceil(x) + 4 * trunc(x) + 8 * round(x) + 16 * rint(x); }
float rounding_f(float x) { return floorf(x) + 2 * ceilf(x) + 4 * truncf(x) + 8 * roundf(x) + 16 * nearbyintf(x); }
double root(double x) { return sqrt(x); }
float root_f(float x) { return sqrtf(x); }
double least(double a, double b) { return fmin(a, b) + 2 * fmax(a, b); }
double fused(double a, double b, double c) { return fma(a, b, c); }
double builtin_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
double remainder_d(double a, double b) { return fmod(a, b); }
double horner(const double *c, int n, double x) { double s = 0; for (int i = 0; i < n; i++) s = s * x + c[i]; return s; }
float mean(const float *v, int n) { float s = 0; for (int i = 0; i < n; i++) s += v[i]; return n > 0 ? s / n : 0; }
int select_f(float a, int b) { return a ? b : -b; }
double huge(void) { return HUGE_VAL - 1e308; }
_Complex double complex_mul(double a, double b) { _Complex double z = a + b * 1.0i; return z + z; }
