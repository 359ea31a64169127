int probe(int x);

int total(int n)
{
    int i = 0, s = 0;

    for (; i + 1 < n; i += 2) {
        s += probe(i + 1);
        s += probe(i);
    }
    if (i < n)
        s += probe(i);
    return s;
}
