int next(void);
void put(int n);

void show(int n)
{
    int i;

    for (i = 0; i < n; i++)
    {
        int value = next();
        if (value >= 0)
            put(value);
    }
}
