int range_ok(unsigned offset, unsigned length, unsigned size)
{
    return offset <= size && length <= size - offset;
}
