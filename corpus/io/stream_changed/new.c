#include <stdio.h>

void warn(int code)
{
    fprintf(stderr, "warning %d\n", code);
}
