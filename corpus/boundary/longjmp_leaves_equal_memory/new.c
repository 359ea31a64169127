#include <setjmp.h>

int number;
static jmp_buf target;

void fail(int x)
{
    number = x + x;
    if (x > 3)
        longjmp(target, x);
}
