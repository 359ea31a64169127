int days_before(int year)
{
    unsigned y = (unsigned)year - 1;

    if (y > 9998)
        return -1;
    return (int)(y * 1461 / 4 - y / 100 + y / 400);
}
