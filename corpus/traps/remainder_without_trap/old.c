int remainder_of(int a, int b)
{
    return a % b;
}
