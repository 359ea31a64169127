unsigned mix(unsigned seconds)
{
    unsigned minute = 0, second = 0, s = 0;

    while (seconds-- > 0) {
        s = s * 31 + minute * 256 + second;
        if (++second == 60) {
            second = 0;
            minute++;
        }
    }
    return s;
}
