unsigned points(unsigned short length, unsigned short step)
{
    return length == 0 ? 0 : (length - 1) / step + 1;
}
