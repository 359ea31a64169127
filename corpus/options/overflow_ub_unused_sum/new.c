int first(int a, int b)
{
    (void)(a + b);
    return a;
}
