static const unsigned char days[16] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int days_in(unsigned month)
{
    return days[month & 15];
}
