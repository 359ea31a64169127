unsigned total(const char *s)
{
    unsigned sum = 0, number = 0;

    for (; *s != 0; s++) {
        if (*s >= '0' && *s <= '9') {
            number = number * 10 + (*s - '0');
        } else {
            sum += number;
            number = 0;
        }
    }
    return sum + number;
}
