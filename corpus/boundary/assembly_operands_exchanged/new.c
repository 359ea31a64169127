int gap(int a, int b)
{
    int x = b, y = a;

    __asm__("subl %1, %0" : "+r"(x) : "r"(y) : "cc");
    return x;
}
