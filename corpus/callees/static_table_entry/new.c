static int op_add(int a, int b)
{
    return a + b;
}

static int op_sub(int a, int b)
{
    return a - b;
}

static int (*const table[2])(int, int) = {op_sub, op_add};

int run(unsigned op, int a, int b)
{
    return table[op & 1](a, b);
}
