int share(int total, int count)
{
    __asm__ goto("testl %0, %0\n\tjs %l1" : : "r"(total) : "cc" : negative);
    if (count == 0)
        return 0;
    return total / count;
negative:
    return -1;
}
