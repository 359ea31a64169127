int composite(int num)
{
    int i, count = 0;

    for (i = 2; i < num; i++)
        if (num % i == 0)
            count++;
    return count;
}

int sums(int x)
{
    int j, sum = 0;

    if (x > 1000)
        x = 1000;
    for (j = 0; j < x; j += 1)
        if (composite(j) == 0)
            sum += j;
    for (j = 1; j < x; j += 2)
        if (composite(j) == 0)
            sum -= j;
    for (j = 2; j < x; j += 3)
        if (composite(j) == 0)
            sum ^= j;
    for (j = 3; j < x; j += 4)
        if (composite(j) == 0)
            sum += j;
    for (j = 4; j < x; j += 5)
        if (composite(j) == 0)
            sum -= j;
    return sum;
}
