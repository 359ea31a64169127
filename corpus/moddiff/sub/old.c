static int sub(int a, int b)
{
    return a - b;
}

int client(int x, int y)
{
    return sub(x, y);
}
