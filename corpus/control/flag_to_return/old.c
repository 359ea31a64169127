int valid_time(int h, int m, int s)
{
    int ok = 1;
    if (h < 0 || h > 23)
        ok = 0;
    if (m < 0 || m > 59)
        ok = 0;
    if (s < 0 || s > 60)
        ok = 0;
    return ok;
}
