#include <stdlib.h>

char *out;

int start(int n)
{
    char *line = malloc(8);

    if (!line)
        return 1;
    out = malloc(4);
    return n;
}
