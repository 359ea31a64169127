#include <limits.h>

int largest(const int *v, int n)
{
    int i, best = INT_MIN;

    for (i = 0; i < n; i++)
        if (v[i] > best)
            best = v[i];
    return best;
}
