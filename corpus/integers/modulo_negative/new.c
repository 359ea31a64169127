int slot(int i)
{
    return i & 7;
}
