int is_upper(int c)
{
    return (unsigned)c - 'A' < 26;
}
