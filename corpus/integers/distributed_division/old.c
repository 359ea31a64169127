int share(int a, int b)
{
    return a / 4 + b / 4;
}
