#include <assert.h>

int month_index(int m)
{
    assert(m >= 1 && m <= 12);
    return m - 1;
}
