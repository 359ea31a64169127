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
    if (check(x) > 6) {
        count++;
        return 2;
    }
    return check(x + 98);
}
