#include <setjmp.h>
#include <stdlib.h>

static jmp_buf failed;
static char *buffer;

static int fill(int x)
{
    free(buffer);
    buffer = malloc(8);
    if (buffer) {
        buffer[0] = x * 2;
        if (x <= 9)
            return buffer[0];
        longjmp(failed, 1);
    }
    longjmp(failed, 2);
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
