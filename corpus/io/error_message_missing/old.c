#include <stdio.h>

int check(int n)
{
    if (n < 0) {
        puts("negative");
        return -1;
    }
    if (n > 100) {
        puts("too large");
        return -1;
    }
    return 0;
}
