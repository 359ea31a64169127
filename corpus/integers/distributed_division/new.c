int share(int a, int b)
{
    return (a + b) / 4;
}
