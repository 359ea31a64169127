#include <stdio.h>

void count_down(int n) {
    if (n > 3)
        n = 3;
    for (int i = n; i > 0; i--)
        printf("%d\n", i);
    puts("go");
}
