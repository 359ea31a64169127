static int g(int p)
{
    while (p != 1) {
    }
    return 5;
}

int caller(void)
{
    return g(1);
}
