unsigned cells(unsigned w, unsigned h)
{
    return w * h;
}
