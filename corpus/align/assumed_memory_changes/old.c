unsigned state;

int mix(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (state == 5)
            __builtin_trap();
        state ^= i;
    }
    return 0;
}
