struct date {
    unsigned day : 4;
    unsigned month : 4;
};

unsigned store_day(unsigned day)
{
    struct date d = {0};
    d.day = day;
    return d.day;
}
