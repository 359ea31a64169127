static int next(int x)
{
    return x - 1;
}

int drain(int x)
{
    int c = 0;

    while (x > 0) {
        x = next(x);
        c++;
    }
    return c;
}
