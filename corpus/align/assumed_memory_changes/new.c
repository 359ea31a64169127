unsigned state;

int mix(unsigned n)
{
    while (n-- > 0) {
        if (state == 5)
            __builtin_trap();
        state ^= n;
    }
    return 0;
}
