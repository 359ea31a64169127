int minus(int b, int a)
{
    return a - b;
}
