int f(int a, int b)
{
    int r = 0;
    if (a > 0) {
        if (b > 0)
            r = 1;
    } else {
        r = 2;
    }
    return r;
}
