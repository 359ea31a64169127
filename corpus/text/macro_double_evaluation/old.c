static inline int max(int a, int b)
{
    return a > b ? a : b;
}

int next_larger(int *p, int b)
{
    return max((*p)++, b);
}
