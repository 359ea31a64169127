unsigned full_week(unsigned week, unsigned pivot)
{
    pivot &= 0xffff;
    return pivot + ((week - pivot) & 1023);
}
