#include <stdio.h>

int next(void);

int ask(void)
{
    printf("next?\n");
    return next();
}
