int is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}
