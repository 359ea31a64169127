static inline int max(int a, int b)
{
    return a > b ? a : b;
}

int larger(int a, int b)
{
    return max(a, b);
}
