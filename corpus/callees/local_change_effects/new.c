static int last_level;

void set_level(int level)
{
    last_level = level;
}

int note(int level, int value)
{
    asm goto("" : : "r"(value) : : done);
    last_level = level;
done:
    return value;
}

int level_before(int x)
{
    note(1, x);
    return last_level;
}
