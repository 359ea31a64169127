/* The sum of 1 to n above a start that must not be negative. */
int climb(int n, int start)
{
    if (n <= 0)
        return start;
    if (start < 0)
        return -1;
    return climb(n - 1, start) + n;
}
