int sample(unsigned raw)
{
    return (int)(raw << 20) >> 20;
}
