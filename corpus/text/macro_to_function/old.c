#define MAX(a, b) ((a) > (b) ? (a) : (b))

int larger(int a, int b)
{
    return MAX(a, b);
}
