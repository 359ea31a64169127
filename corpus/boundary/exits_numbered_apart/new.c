int pick(int c)
{
    if (c)
        goto B;
    goto A;
A:
    return 1;
B:
    return 2;
}
