static int add(int a, int b)
{
    return a + b;
}

int client(int x, int y)
{
    return add(x, y);
}
