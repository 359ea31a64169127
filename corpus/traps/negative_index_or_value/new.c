/* The last digit, marked where the number is negative. */
int last_digit(int n) {
    const char *digits = "0123456789";
    int mark = n < 0 ? 256 : 0;
    unsigned size = n < 0 ? 0u - (unsigned)n : (unsigned)n;
    return digits[size % 10] + mark;
}
