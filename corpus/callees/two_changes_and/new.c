static int first(void)
{
    return 1;
}

static int second(void)
{
    return 1;
}

int both(void)
{
    return first() & second();
}
