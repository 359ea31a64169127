void put(int n);
void header(int n);

void table(int n)
{
    int i;

    if (n > 0)
        header(n);
    for (i = 0; i < n; i++)
        put(i);
}
