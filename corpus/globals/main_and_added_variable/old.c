#include <stdio.h>

int level = 3;

int scaled(int x)
{
    return x * 2;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", argc + level);
    return 0;
}
