static void note(int *seen, int n)
{
    *seen = n;
}

int submit(const int *limit, int *seen, int n)
{
    int most = *limit;

    if (n > most)
        return -1;
    note(seen, n);
    return most - n;
}
