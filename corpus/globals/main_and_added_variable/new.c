#include <stdio.h>

int level = 3;
int factor = 2;

int scaled(int x)
{
    return x * factor;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", argc + level);
    return 0;
}
