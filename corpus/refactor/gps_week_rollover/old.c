unsigned full_week(unsigned week, unsigned pivot)
{
    unsigned base;

    week &= 1023;
    pivot &= 0xffff;
    base = pivot - (pivot & 1023);
    if (week < (pivot & 1023))
        base += 1024;
    return base + week;
}
