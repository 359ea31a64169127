/* As callee_returns_zero, but something is left after ten iterations. */
int rest(int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (left > 0 || i == 9)
            left++;
    return left;
}

int total(int n, int k)
{
    int left = rest(n);
    if (left > 5)
        return -1;
    return left + k;
}
