int g(int p)
{
    while (p != 0) {
    }
    return 3;
}
