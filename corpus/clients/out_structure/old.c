struct time {
    int hour, minute, zone;
};

void lib(struct time *t, int seconds)
{
    t->hour = seconds / 3600;
    t->minute = seconds / 60 % 60;
    t->zone = 0;
}

int hour(int seconds)
{
    struct time t;

    lib(&t, seconds);
    return t.hour * 100 + t.minute;
}
