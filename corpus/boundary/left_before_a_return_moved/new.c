#include <setjmp.h>

static jmp_buf target;
static int count;

static int check(int x)
{
    if (x > 100)
        longjmp(target, 1);
    return x * 2;
}

int run(int x)
{
    if (setjmp(target))
        return count;
    count++;
    if (check(x) > 6)
        return 2;
    count--;
    return check(x + 98);
}
