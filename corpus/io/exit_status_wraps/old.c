#include <stdlib.h>

void killed_by(int signal)
{
    exit(128 + signal);
}

void finish(int code)
{
    exit(code);
}
