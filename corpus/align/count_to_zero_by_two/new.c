int count(int n)
{
    int c = 0;

    while (n != 0) {
        n -= 2;
        c++;
    }
    return c;
}
