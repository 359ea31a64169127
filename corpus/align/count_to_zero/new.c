int count(int n)
{
    int c = 0;

    while (n-- != 0)
        c++;
    return c;
}
