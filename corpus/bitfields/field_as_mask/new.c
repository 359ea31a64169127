unsigned low3(unsigned x)
{
    return x & 7;
}
