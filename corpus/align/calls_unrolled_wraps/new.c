int probe(int x);

int total(int n)
{
    int i = 0, s = 0;

    for (; i < n - 1; i += 2) {
        s += probe(i);
        s += probe(i + 1);
    }
    if (i < n)
        s += probe(i);
    return s;
}
