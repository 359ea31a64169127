#include <stdio.h>

void warn(int code)
{
    fprintf(stdout, "warning %d\n", code);
}
