int lib(int x)
{
    return x > 9 ? x + 1 : x;
}

unsigned char byte(int x)
{
    return lib(x);
}
