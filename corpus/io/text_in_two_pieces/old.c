#include <stdio.h>

void list(int more)
{
    fputs(more > 0 ? "one, " : "one", stdout);
    fputs(more > 0 ? "two\n" : "\n", stdout);
}
