static int last_level;

int note(int level, int value)
{
    asm goto("" : : "r"(value) : : done);
    last_level = level;
done:
    return value;
}

int twice(int x)
{
    return note(1, x) * 2 + last_level;
}
