unsigned char fill(unsigned char level, unsigned n)
{
    while (n > 0) {
        if (level < 255)
            level++;
        n--;
    }
    return level;
}
