static int leaf(int x)
{
    return x + 5;
}

int f(int x)
{
    int d = leaf(x);

    return x > 0 ? d * d : d;
}
