static int limit(void)
{
    return 6 * 7;
}

int client(int x)
{
    return x > limit() ? limit() : x;
}
