#include <setjmp.h>

static jmp_buf target;

static void check(int x)
{
    if (x > 0)
        longjmp(target, 1);
}

int run(int x)
{
    volatile int state = 0;

    if (setjmp(target))
        return state;
    state = 2;
    check(x);
    state = 3;
    return 4;
}
