int last[4];

void record(unsigned x, int *count)
{
    unsigned mixed = x;

    __asm__("xorl %1, %0" : "+r"(mixed) : "r"(x >> 3) : "cc");
    last[mixed & 3] = (int)x + 1;
    *count += 1;
}
