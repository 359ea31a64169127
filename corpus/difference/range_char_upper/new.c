int f(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}
