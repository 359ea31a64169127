long seconds(int days)
{
    return days * 86400L;
}
