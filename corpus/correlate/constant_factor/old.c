int log_message(int code);

int check(int a, int b)
{
    int i, sum = 0;

    for (i = 0; i < 4; i++)
        sum += a;
    if (sum > b)
        log_message(sum);
    return sum;
}
