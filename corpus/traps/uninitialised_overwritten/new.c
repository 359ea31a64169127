int sign(int x)
{
    int s;
    if (x < 0)
        s = -1;
    else
        s = x > 0;
    return s;
}
