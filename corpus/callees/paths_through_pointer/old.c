static void step(int *p)
{
    if (*p == 9)
        *p = 0;
    else
        *p += 1;
}

int twice(int x)
{
    int a = x & 7, b = 3;
    step(&a);
    step(&b);
    step(&a);
    return a * 16 + b;
}
