#include <setjmp.h>

static jmp_buf start;
static int status;

static void fail(int code) {
    int doubled = code + code;
    status = doubled;
    longjmp(start, 1);
}

static int parse(int x) {
    if (x < 0)
        fail(x);
    return x + 1;
}

int run(int x) {
    if (setjmp(start))
        return status;
    return parse(x);
}
