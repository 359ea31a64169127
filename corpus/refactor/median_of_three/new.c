static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

int median(int a, int b, int c)
{
    return larger(smaller(a, b), smaller(larger(a, b), c));
}
