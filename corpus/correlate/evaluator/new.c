int evaluate(int op, int left, int right, int is_unsigned)
{
    switch (op) {
    case 1:
        return left + right;
    case 2:
        return left - right;
    case 3:
        return is_unsigned ? (unsigned)left < (unsigned)right : left < right;
    case 4:
        return left == right;
    }
    return 0;
}
