int next(void);

int count(int limit)
{
    int n = 0;

    while (next() < limit)
        n++;
    return n;
}
