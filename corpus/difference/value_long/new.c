int f(long k)
{
    return k == 0x1234567890abcdefl;
}
