enum colour { RED, GREEN, BLUE };

int lib(enum colour c)
{
    switch (c) {
    case RED:
        return 31;
    case GREEN:
        return 32;
    case BLUE:
        return 94;
    }
    return 0;
}

int lamp(int on)
{
    return lib(on ? GREEN : RED);
}
