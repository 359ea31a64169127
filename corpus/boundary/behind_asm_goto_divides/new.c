int share(int total, int count)
{
    __asm__ goto("testl %0, %0\n\tjs %l1" : : "r"(total) : "cc" : negative);
    return total / count;
negative:
    return -1;
}
