static const unsigned char month_days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int days_in_month(int month, int leap)
{
    if (month < 1 || month > 12)
        return 0;
    return month_days[month] + (month == 2 && leap);
}
