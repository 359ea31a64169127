static void note(int *seen, int n)
{
    *seen = n;
}

int submit(const int *limit, int *seen, int n)
{
    if (n > *limit)
        return -1;
    note(seen, n);
    return *limit - n;
}
