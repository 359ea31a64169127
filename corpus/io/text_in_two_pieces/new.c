#include <stdio.h>

void list(int more)
{
    fputs("one", stdout);
    fputs(more > 0 ? ", two\n" : "\n", stdout);
}
