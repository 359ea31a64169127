static int helper(int x)
{
    return x / 2;
}

int client(int x)
{
    return helper(x * 2);
}
