struct device {
    int low, high, speed, flags;
};

static void prepare(struct device *d, int range)
{
    d->low = -range;
    d->high = range;
    if (range > 100)
        d->high = 100;
}

int setup(struct device *d, int range, int speed)
{
    if (speed < 0)
        speed = 0;
    d->speed = speed;
    d->flags = speed > 9;
    prepare(d, range);
    return speed;
}
