int blend(int a, int b)
{
    return (3 * a + b) / 4;
}
