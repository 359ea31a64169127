unsigned lowest(unsigned x)
{
    return x & (~x + 1);
}
