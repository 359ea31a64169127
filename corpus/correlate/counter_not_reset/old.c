void put(int n);

void twice(int n)
{
    int i;

    for (i = 0; i < n; i++)
        put(i);
    for (i = 0; i < 3; i++)
        put(-i);
}
