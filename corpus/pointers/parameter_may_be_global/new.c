int ticks;

int tick(int *p)
{
    int now = ++ticks;
    *p = 0;
    return now;
}
