/* The middle of a and b, without overflow. */
long middle(long a, long b) {
    _BitInt(256) sum = (_BitInt(256))a + b;
    return (long)(sum / 2);
}
