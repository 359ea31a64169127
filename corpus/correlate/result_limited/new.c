int count(const int *values, int n)
{
    int i, found = 0;

    for (i = 0; i < n; i++)
        if (values[i] == 0)
            found++;
    return found > 9 ? 9 : found;
}
