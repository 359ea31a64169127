#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc < 2) {
        puts("usage: tool FILE");
        return 2;
    }
    return 0;
}
