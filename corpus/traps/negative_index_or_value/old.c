/* The last digit, marked where the number is negative. */
int last_digit(int n) {
    const char *digits = "0123456789";
    int mark = n < 0 ? 128 : 0;
    return digits[n % 10] + mark;
}
