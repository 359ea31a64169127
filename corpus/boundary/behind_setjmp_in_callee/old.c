#include <setjmp.h>

static jmp_buf stop;

static void visit(int depth, int limit)
{
    if (depth == limit)
        longjmp(stop, depth + 1);
    visit(depth + 1, limit);
}

static int depth_of(int limit)
{
    int found = setjmp(stop);

    if (found)
        return found - 1;
    visit(0, limit & 15);
    return -1;
}

int twice(int x)
{
    return depth_of(x) + depth_of(x + 1);
}
