void divmod(int a, int b, int *quot, int *rem)
{
    *rem = a % b;
    *quot = a / b;
}
