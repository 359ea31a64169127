/* The middle of a and b, without overflow. */
long middle(long a, long b) {
    return (long)(((_BitInt(256))a + b) / 2);
}
