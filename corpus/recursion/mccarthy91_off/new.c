int mc91(int n)
{
    return n >= 100 ? n - 10 : 91;
}
