int valid_time(int h, int m, int s)
{
    return (unsigned)h < 24 && (unsigned)m < 60 && (unsigned)s < 60;
}
