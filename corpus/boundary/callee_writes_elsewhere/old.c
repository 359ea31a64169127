int level, notes;

static void note(void)
{
    notes = notes + 1 + 1;
}

int value(void)
{
    int t = level;
    note();
    return t;
}
