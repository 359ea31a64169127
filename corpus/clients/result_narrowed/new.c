int lib(int x)
{
    return x > 9 ? x + 257 : x;
}

unsigned char byte(int x)
{
    return lib(x);
}
