#include <stdlib.h>

static char *line;
char *out;

int start(int n)
{
    line = malloc(8);
    if (!line)
        return 1;
    out = malloc(4);
    return n;
}
