int opposite(int a, int b)
{
    return (a < 0) != (b < 0) && a != 0 && b != 0;
}
