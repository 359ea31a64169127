int next(void);

int total(int times)
{
    int i, sum = 0;

    if (times <= 0)
        return 0;
    for (i = 0; i < times; i++)
        sum += next();
    return sum;
}
