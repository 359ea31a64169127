static int op_add(int a, int b)
{
    return a + b;
}

static int op_sub(int a, int b)
{
    return a - b;
}

static int op_xor(int a, int b)
{
    return a ^ b;
}

int run(unsigned op, int a, int b)
{
    switch (op) {
    case 0:
        return op_add(a, b);
    case 1:
        return op_sub(a, b);
    case 2:
        return op_xor(a, b);
    default:
        return 0;
    }
}
