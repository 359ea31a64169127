int probe(int x);

int drain(int most)
{
    int n = 0;

    while (n < most) {
        if (probe(n) == 0)
            break;
        n++;
    }
    return n;
}
