/* No more elements are counted than were looked at, so the sum of both counters is at most n. */
int total(const int *v, int n)
{
    int above = 0, below = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        if (v[k] > 0)
            above++;
        else if (v[k] < 0)
            below++;
        sum += v[k];
    }
    if (n >= 0 && above + below > n)
        return -1;
    return sum;
}
