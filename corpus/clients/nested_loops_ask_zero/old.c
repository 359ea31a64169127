int composite(int num)
{
    int i, count = 0;

    for (i = 2; i < num; i++)
        if (num % i == 0)
            count++;
    return count;
}

int pairs(int x)
{
    int i, j, sum = 0;

    if (x > 200)
        x = 200;
    for (i = 0; i < x; i++) {
        if (composite(i) != 0)
            continue;
        for (j = 0; j < i; j++)
            if (composite(j) == 0 && !composite(i - j))
                sum++;
    }
    return sum;
}
