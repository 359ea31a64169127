int next(void);

int count(int limit)
{
    int n = 1;

    while (next() < limit)
        n++;
    return n;
}
