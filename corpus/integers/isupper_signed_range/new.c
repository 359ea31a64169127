int is_upper(int c)
{
    return c - 'A' < 26;
}
