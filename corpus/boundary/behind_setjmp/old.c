#include <setjmp.h>

static jmp_buf failed;

static int parse(int x)
{
    if (x < 0)
        longjmp(failed, 3);
    return x / 2;
}

int attempt(int x)
{
    volatile int tries = 0;
    int code = setjmp(failed);

    tries++;
    if (tries > 2)
        return -tries;
    return parse(code ? x + 1 : x) + 10;
}
