/* Both arrays are exchanged with a variable. */
void exchange(int *p, int *q, int n)
{
    for (int i = 0; i < n; i++) {
        int kept = p[i];
        p[i] = q[i];
        q[i] = kept;
    }
}
