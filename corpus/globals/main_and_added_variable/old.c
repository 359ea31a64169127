#include <stdio.h>

static int level = 3;

static int scaled(int x)
{
    return x * 2;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", scaled(argc + level));
    level++;
    return 0;
}
