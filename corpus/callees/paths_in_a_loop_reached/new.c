static int weight(int i)
{
    return i == 6 ? 14 : i * 2 + 1;
}

int total(int x)
{
    int sum = x;
    for (int i = 0; i < 7; i++)
        sum += weight(i);
    return sum;
}
