int gap(int a, int b)
{
    int x = 2 * a, y = b;

    __asm__("subl %1, %0" : "+r"(x) : "r"(y) : "cc");
    return x;
}
