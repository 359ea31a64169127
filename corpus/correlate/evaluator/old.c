int evaluate(int op, int left, int right, int is_unsigned)
{
    int result = 0;

    if (op == 1)
        result = left + right;
    else if (op == 2)
        result = left - right;
    else if (op == 3)
        result = left < right;
    else if (op == 4)
        result = left == right;
    return result;
}
