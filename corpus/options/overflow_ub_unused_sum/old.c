int first(int a, int b)
{
    (void)b;
    return a;
}
