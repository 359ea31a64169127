int step(int x, int limit)
{
    __asm__ goto("testl $1, %0\n\tjne %l1" : : "r"(x) : "cc" : odd);
    return x / 2 > limit ? limit : x / 2;
odd:
    return 3 * x + 1;
}
