unsigned slot(unsigned i)
{
    return i & 7;
}
