unsigned total(const char *s)
{
    unsigned sum = 0;

    while (*s != 0) {
        unsigned number = 0;

        while (*s >= '0' && *s <= '9')
            number = number * 10 + (*s++ - '0');
        sum += number;
        if (*s != 0 && *++s != 0)
            s++;
    }
    return sum;
}
