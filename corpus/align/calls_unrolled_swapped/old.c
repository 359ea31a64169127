int probe(int x);

int total(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += probe(i);
    return s;
}
