#include <setjmp.h>

struct context {
    jmp_buf target;
    int error;
};

static void fail(struct context *c, int code)
{
    c->error = code;
    longjmp(c->target, code);
}

static int parse(struct context *c, const char *s)
{
    int value = 0;
    while (*s) {
        if (*s < '0' || *s > ':')
            fail(c, 2);
        value = value * 10 + (*s++ - '0');
    }
    return value;
}

int number(const char *s, int *out)
{
    struct context c;
    c.error = 0;
    if (setjmp(c.target))
        return c.error;
    *out = parse(&c, s);
    return 0;
}
