int g(int p)
{
    while (p != 1) {
    }
    return 5;
}
