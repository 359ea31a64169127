int level;

static void note(void)
{
    level = 1;
}

int value(void)
{
    note();
    return level;
}
