int has_successor(int x)
{
    return x + 1 > x;
}
