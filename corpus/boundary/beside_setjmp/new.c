#include <setjmp.h>

static jmp_buf target;
static int state;

static void check(int x)
{
    if (x > 0)
        longjmp(target, 1);
}

int run(int x)
{
    if (setjmp(target))
        return state;
    state = x * 2;
    check(x);
    state = 2;
    return 0;
}
