static int grade(int x)
{
    if (x < 0)
        return -1;
    if (x == 40)
        return 4;
    return x / 10;
}

int sum(int a, int b)
{
    return grade(a) - grade(b & 31);
}
