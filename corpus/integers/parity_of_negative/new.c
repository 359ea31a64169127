int is_odd(int x)
{
    return x % 2 == 1;
}
