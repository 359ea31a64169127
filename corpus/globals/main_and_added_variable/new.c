#include <stdio.h>

static int level = 3;
static int factor = 2;

static int scaled(int x)
{
    return x * factor;
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", scaled(argc + level));
    level++;
    return 0;
}
