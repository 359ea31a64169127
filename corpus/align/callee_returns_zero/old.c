/* What is left over is never more than nothing, which only the loop of the callee shows. */
int rest(int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (left > 0)
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
