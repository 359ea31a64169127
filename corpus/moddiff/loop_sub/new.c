static int sub(int a)
{
    int i;

    for (i = 0; i < 2; ++i)
        a -= 3;
    return a;
}

int client(int x)
{
    return sub(x);
}
