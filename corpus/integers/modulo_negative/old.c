int slot(int i)
{
    return i % 8;
}
