static int last_level;

void set_level(int level)
{
    last_level = level;
}

int note(int level, int value)
{
    asm goto("" : : "r"(value) : : done);
done:
    return value;
}

int level_before(int x)
{
    int before = last_level;

    note(1, x);
    return before;
}
