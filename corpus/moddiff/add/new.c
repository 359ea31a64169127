static int add(int a, int b)
{
    return b - -a;
}

int client(int x, int y)
{
    return add(y, x);
}
