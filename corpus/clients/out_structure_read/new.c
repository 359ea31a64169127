struct time {
    int hour, minute, zone;
};

void lib(struct time *t, int seconds)
{
    t->hour = seconds / 3600;
    t->minute = seconds / 60 % 60;
    t->zone = 1;
}

int hour(int seconds)
{
    struct time t;

    lib(&t, seconds);
    if (t.hour == 12)
        return 12 + t.zone;
    return t.hour;
}
