int composite(int num)
{
    int i = 2;

    while (i < num) {
        if (num % i == 0)
            return 1;
        i++;
    }
    return 0;
}

int sum_one_factor(int x)
{
    int sum = 0;
    int j = 0;

    while (j < x) {
        if (composite(j) == 1)
            sum = sum + j;
        j++;
    }
    return sum;
}
