/* Half of n, rounded towards zero. */
int half(int n) {
    return n >> 1;
}
