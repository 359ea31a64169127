struct device {
    int low, high, speed, flags;
};

int setup(struct device *d, int range, int speed)
{
    d->low = -range;
    d->high = range;
    if (range > 100)
        d->high = 100;
    if (speed < 0)
        speed = 0;
    d->speed = speed;
    d->flags = speed > 9;
    return speed;
}
