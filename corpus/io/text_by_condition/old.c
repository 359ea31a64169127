#include <stdio.h>

void level(int errors)
{
    puts(errors > 2 ? "critical" : "normal");
    printf("%d errors\n", errors);
}
