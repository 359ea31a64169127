int valid_time(int h, int m, int s)
{
    if ((unsigned)h > 23)
        return 0;
    if ((unsigned)m > 59)
        return 0;
    return (unsigned)s <= 60;
}
