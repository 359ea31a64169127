#include <assert.h>

int month_index(int m)
{
    return m - 1;
}
