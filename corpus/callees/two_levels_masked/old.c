static unsigned leaf(unsigned x)
{
    return x / 2;
}

static unsigned middle(unsigned x)
{
    return leaf(x > 255 ? 255 : x) + 1;
}

unsigned top(unsigned x)
{
    return middle(x) * 3;
}
