static int sub(int a)
{
    int i;

    for (i = 0; i < 3; ++i)
        a -= 2;
    return a;
}

int client(int x)
{
    return sub(x);
}
