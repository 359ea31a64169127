int gap(int a, int b)
{
    int x = a + a, y = b;

    __asm__("subl %1, %0" : "+r"(x) : "r"(y) : "cc");
    return x;
}
