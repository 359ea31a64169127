void f(int x, int *a, int *b)
{
    *a = x + 1;
    *b = x + 3;
}
