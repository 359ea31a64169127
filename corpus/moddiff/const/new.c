static int limit(void)
{
    return 42;
}

int client(int x)
{
    int most = limit();

    return x > most ? most : x;
}
