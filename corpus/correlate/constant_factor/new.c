int log_message(int code);

int check(int a, int b)
{
    int sum = a * 4;

    if (sum > b)
        log_message(sum);
    return sum;
}
