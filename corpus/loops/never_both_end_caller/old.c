static int g(int p)
{
    while (p != 0) {
    }
    return 3;
}

int caller(void)
{
    return g(0);
}
