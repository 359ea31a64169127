int probe(int x);

int drain(int most)
{
    int n;

    for (n = 0; n < most && probe(n) != 0; n++)
        ;
    return n;
}
