int f(const int *v)
{
    int i;

    for (i = 1; i < 3; ++i)
        if (v[i] == 0)
            return i;
    return -1;
}
