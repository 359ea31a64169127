void put(int n);
void header(int n);

void table(int n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (i == 0)
            header(n);
        put(i);
    }
}
