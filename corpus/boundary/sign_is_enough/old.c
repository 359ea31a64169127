/* How many bytes of two buffers have to be exchanged to put the smaller one first; each exchange is reported. */
void report(unsigned index, int from, int to);

int exchange(unsigned char *a, unsigned char *b, unsigned n)
{
    int count = 0;

    for (unsigned i = 0; i < n; i++) {
        int order = a[i] - b[i];

        report(i, a[i], b[i]);
        if (order > 0) {
            unsigned char t = a[i];

            a[i] = b[i];
            b[i] = t;
            count++;
        } else if (order < 0) {
            count += 2;
        }
    }
    return count;
}
