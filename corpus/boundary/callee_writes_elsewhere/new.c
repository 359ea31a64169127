int level, notes;

static void note(void)
{
    notes = notes + 2;
}

int value(void)
{
    note();
    return level;
}
