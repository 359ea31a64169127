#include <stdio.h>

void level(int errors)
{
    puts(errors > 3 ? "critical" : "normal");
    printf("%d errors\n", errors);
}
