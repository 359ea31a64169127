static int compare(int a, int b)
{
    return a < b ? -1 : a > b;
}

int is_before(int a, int b)
{
    return compare(a, b) < 0;
}
