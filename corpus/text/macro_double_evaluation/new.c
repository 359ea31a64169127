#define MAX(a, b) ((a) > (b) ? (a) : (b))

int next_larger(int *p, int b)
{
    return MAX((*p)++, b);
}
