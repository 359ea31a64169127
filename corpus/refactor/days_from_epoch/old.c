int days_before(int year)
{
    int y = year - 1;

    if (year < 1 || year > 9999)
        return -1;
    return y * 365 + y / 4 - y / 100 + y / 400;
}
