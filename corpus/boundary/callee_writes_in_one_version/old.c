int level;

static void note(void)
{
}

int value(void)
{
    int t = level;
    note();
    return t;
}
