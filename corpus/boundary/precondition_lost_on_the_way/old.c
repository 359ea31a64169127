int mark(int x)
{
    if (x > 0) {
        x -= 4;
        return x >= 0 ? 1 : 2;
    }
    return 0;
}
