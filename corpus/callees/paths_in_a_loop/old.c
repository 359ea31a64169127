static int weight(int i)
{
    return i == 6 ? 13 : i * 2 + 1;
}

int total(int x)
{
    int sum = x;
    for (int i = 0; i < 5; i++)
        sum += weight(i);
    return sum;
}
