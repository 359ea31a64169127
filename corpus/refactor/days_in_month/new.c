int days_in_month(int month, int leap)
{
    if ((unsigned)month - 1 > 11)
        return 0;
    if (month == 2)
        return leap ? 29 : 28;
    return 30 + ((month + (month >> 3)) & 1);
}
