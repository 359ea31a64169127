unsigned cell(unsigned up, unsigned left)
{
    return up + 1 < left + 1 ? up + 1 : left + 1;
}
