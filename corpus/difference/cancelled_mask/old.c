static unsigned leaf(unsigned x)
{
    return x;
}

unsigned f(unsigned x)
{
    return x < 1000 ? leaf(x) & 15 : leaf(x);
}
