static int first(void)
{
    return 0;
}

static int second(void)
{
    return 0;
}

int both(void)
{
    return first() & second();
}
