static int sub(int a, int b)
{
    return b - a;
}

int client(int x, int y)
{
    return -sub(x, y);
}
