#include <math.h>

#define TINY 1.5e-38
#define BIG 3.0e37

static double larger(double a, double b) { return a > b ? a : b; }

static double largest(double a, double b, double c) { return larger(larger(a, b), c); }

static int out_of_range(double x, double y, double z) {
    return x < 0.0 || y < 0.0 || z < 0.0 || x + y < TINY || x + z < TINY || y + z < TINY ||
           largest(x, y, z) > BIG;
}

/* Carlson's degenerate integral, by duplication. */
double carlson_rc(double x, double y) {
    double w, mean, s, lambda;
    if (x < 0.0 || y == 0.0 || x + fabs(y) < TINY)
        return -1.0;
    if (y > 0.0) {
        w = 1.0;
    } else {
        w = sqrt(x) / sqrt(x - y);
        x = x - y;
        y = -y;
    }
    do {
        lambda = 2.0 * sqrt(x) * sqrt(y) + y;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        mean = (x + y + y) / 3.0;
        s = (y - mean) / mean;
    } while (fabs(s) > 0.0012);
    return w * (1.0 + s * s * (0.3 + s * (1.0 / 7.0 + s * (0.375 + s * 9.0 / 22.0)))) / sqrt(mean);
}

/* Of the first kind. */
double carlson_rf(double x, double y, double z) {
    double mean, dx, dy, dz, e2, e3, lambda, rx, ry, rz;
    if (out_of_range(x, y, z))
        return -1.0;
    do {
        rx = sqrt(x);
        ry = sqrt(y);
        rz = sqrt(z);
        lambda = rx * (ry + rz) + ry * rz;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        mean = (x + y + z) / 3.0;
        dx = (mean - x) / mean;
        dy = (mean - y) / mean;
        dz = (mean - z) / mean;
    } while (largest(fabs(dx), fabs(dy), fabs(dz)) > 0.0025);
    e2 = dx * dy - dz * dz;
    e3 = dx * dy * dz;
    return (1.0 + (e2 / 24.0 - 0.1 - 3.0 * e3 / 44.0) * e2 + e3 / 14.0) / sqrt(mean);
}

/* Of the second kind. */
double carlson_rd(double x, double y, double z) {
    double mean, dx, dy, dz, ea, eb, ec, ed, ee, lambda, power, sum, rx, ry, rz;
    if (x < 0.0 || y < 0.0 || x + y < TINY || z < TINY || largest(x, y, z) > BIG)
        return -1.0;
    sum = 0.0;
    power = 1.0;
    do {
        rx = sqrt(x);
        ry = sqrt(y);
        rz = sqrt(z);
        lambda = rx * (ry + rz) + ry * rz;
        sum += power / (rz * (z + lambda));
        power = 0.25 * power;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        mean = 0.2 * (x + y + 3.0 * z);
        dx = (mean - x) / mean;
        dy = (mean - y) / mean;
        dz = (mean - z) / mean;
    } while (largest(fabs(dx), fabs(dy), fabs(dz)) > 0.0015);
    ea = dx * dy;
    eb = dz * dz;
    ec = ea - eb;
    ed = ea - 6.0 * eb;
    ee = ed + ec + ec;
    return 3.0 * sum + power * (1.0 + ed * (-3.0 / 14.0 + 0.159 * ed - 0.17 * dz * ee) +
                                dz * (ee / 6.0 + dz * (-9.0 * ec / 22.0 + dz * 3.0 * ea / 26.0))) /
                           (mean * sqrt(mean));
}

/* Of the third kind. */
double carlson_rj(double x, double y, double z, double p) {
    double mean, alpha, beta, dx, dy, dz, dp, lambda, power, sum, rx, ry, rz;
    if (out_of_range(x, y, z) || p < TINY)
        return -1.0;
    sum = 0.0;
    power = 1.0;
    do {
        rx = sqrt(x);
        ry = sqrt(y);
        rz = sqrt(z);
        lambda = rx * (ry + rz) + ry * rz;
        alpha = p * (rx + ry + rz) + rx * ry * rz;
        beta = p * (p + lambda) * (p + lambda);
        sum += power * carlson_rc(alpha * alpha, beta);
        power = 0.25 * power;
        x = 0.25 * (x + lambda);
        y = 0.25 * (y + lambda);
        z = 0.25 * (z + lambda);
        p = 0.25 * (p + lambda);
        mean = 0.2 * (x + y + z + p + p);
        dx = (mean - x) / mean;
        dy = (mean - y) / mean;
        dz = (mean - z) / mean;
        dp = (mean - p) / mean;
    } while (larger(largest(fabs(dx), fabs(dy), fabs(dz)), fabs(dp)) > 0.0015);
    return 3.0 * sum + power * (1.0 - 3.0 / 14.0 * (dx * (dy + dz) + dy * dz - 3.0 * dp * dp)) /
                           (mean * sqrt(mean));
}

double legendre_f(double phi, double k) {
    double s = sin(phi), c = cos(phi);
    return s * carlson_rf(c * c, (1.0 - s * k) * (1.0 + s * k), 1.0);
}

double legendre_e(double phi, double k) {
    double s = sin(phi), c = cos(phi), q = (1.0 - s * k) * (1.0 + s * k), sk = s * k;
    return s * (carlson_rf(c * c, q, 1.0) - sk * sk * carlson_rd(c * c, q, 1.0) / 3.0);
}

double legendre_pi(double phi, double n, double k) {
    double s = sin(phi), c = cos(phi), q = (1.0 - s * k) * (1.0 + s * k), ns = n * s * s;
    return s * (carlson_rf(c * c, q, 1.0) - ns * carlson_rj(c * c, q, 1.0, 1.0 + ns) / 3.0);
}

/* The arithmetic-geometric mean. */
double mean_agm(double a, double g) {
    double next;
    int round;
    if (a <= 0.0 || g <= 0.0)
        return 0.0;
    for (round = 0; round < 60 && fabs(a - g) > 1e-15 * a; round++) {
        next = 0.5 * (a + g);
        g = sqrt(a * g);
        a = next;
    }
    return a;
}
