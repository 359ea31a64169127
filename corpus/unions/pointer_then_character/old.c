union slot {
    char letter;
    const char *name;
};

union slot last;

int put(int kind)
{
    last.name = "name";
    if (kind & 1)
        last.letter = 'x';
    return kind > 1;
}
