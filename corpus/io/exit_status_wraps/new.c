#include <stdlib.h>

void killed_by(int signal)
{
    exit(signal - 128);
}

void finish(int code)
{
    exit(code > 255 ? 255 : code);
}
