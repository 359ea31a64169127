int mark(int x)
{
    if (x > 0) {
        x -= 4;
        return 1;
    }
    return 0;
}
