#include <stdio.h>

int next(void);

int ask(void)
{
    puts("next?");
    return next();
}
