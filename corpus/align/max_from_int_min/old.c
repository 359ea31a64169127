#include <limits.h>

int largest(const int *v, int n)
{
    int i, best = v[0];

    for (i = 1; i < n; i++)
        if (v[i] > best)
            best = v[i];
    return best;
}
