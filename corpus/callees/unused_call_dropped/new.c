unsigned f(unsigned x)
{
    return x;
}
