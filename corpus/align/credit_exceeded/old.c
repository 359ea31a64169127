/* As credit_bounded, but the bound is one that some runs exceed. */
int total(const int *v, int n)
{
    int credit = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        if (credit < 50)
            credit += 5;
        if (v[k] < 0 && credit >= 10)
            credit -= 7;
        sum += v[k];
        if (credit > 12)
            return -1;
    }
    return sum;
}
