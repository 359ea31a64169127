int range_ok(unsigned offset, unsigned length, unsigned size)
{
    return offset + length <= size;
}
