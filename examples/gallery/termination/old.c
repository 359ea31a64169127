/* How often n can be halved. */
int halvings(unsigned n) {
    int count = 0;
    while (n > 1) {
        n /= 2;
        count++;
    }
    return count;
}
