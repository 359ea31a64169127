static int base(void)
{
    return 2;
}

int opaque(int x)
{
    __asm__("addl $3, %0" : "+r"(x) : : "cc");
    return x + base();
}

int use(int x)
{
    return opaque(2 * x);
}
