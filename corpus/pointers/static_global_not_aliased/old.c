static int ticks;

int tick(int *p)
{
    ticks++;
    *p = 0;
    return ticks;
}
