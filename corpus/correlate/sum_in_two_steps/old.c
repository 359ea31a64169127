int next(void);

int total(int times, int extra)
{
    int i, sum = 0;

    for (i = 0; i < times; i++)
        sum += next() + extra;
    return sum;
}
