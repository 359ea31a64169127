int pick(int c)
{
    if (c)
        goto A;
    goto B;
A:
    return 1;
B:
    return 2;
}
