void put(int n);

void show(int n)
{
    int i;

    for (i = 0; i < n; i++)
    {
        if (i > 0)
            put(-1);
        put(i);
    }
}
