int next(void);

int total(int times)
{
    int i, sum = 0;

    for (i = 0; i < times; i++)
        sum += next();
    return sum;
}
