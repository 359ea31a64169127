static void step(int *p)
{
    if (*p == 9)
        *p = 1;
    else
        *p += 1;
}

int twice(int x)
{
    int a = x, b = 3;
    step(&a);
    step(&b);
    step(&a);
    return a * 16 + b;
}
