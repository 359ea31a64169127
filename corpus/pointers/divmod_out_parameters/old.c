void divmod(int a, int b, int *quot, int *rem)
{
    *quot = a / b;
    *rem = a % b;
}
