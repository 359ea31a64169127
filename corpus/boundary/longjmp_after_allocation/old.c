#include <setjmp.h>
#include <stdlib.h>

static jmp_buf failed;
static char *buffer;

static int fill(int x)
{
    free(buffer);
    buffer = malloc(8);
    if (!buffer)
        longjmp(failed, 2);
    buffer[0] = x + x;
    if (x > 9)
        longjmp(failed, 1);
    return buffer[0];
}

int run(int x)
{
    char *next;
    int code = setjmp(failed);

    if (code == 0)
        return fill(x);
    next = malloc(8);
    if (!next)
        return -1;
    free(next);
    return buffer ? buffer[0] + code : code;
}
