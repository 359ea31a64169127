unsigned powers(unsigned n)
{
    unsigned power = 1, s = 0;

    for (; n > 0; n--) {
        s += power;
        power *= 2;
    }
    return s;
}
