#include <setjmp.h>

int number;
static jmp_buf target;

void fail(int x)
{
    if (x > 3)
        longjmp(target, x);
    number = x * 2;
}
