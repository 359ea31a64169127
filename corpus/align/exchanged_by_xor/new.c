/* Both arrays are exchanged without a variable: no element may be its own counterpart. */
void exchange(int *p, int *q, int n)
{
    for (int i = 0; i < n; i++) {
        p[i] ^= q[i];
        q[i] ^= p[i];
        p[i] ^= q[i];
    }
}
