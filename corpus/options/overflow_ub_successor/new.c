int has_successor(int x)
{
    (void)x;
    return 1;
}
