void f(int *p, int *q)
{
    *p = *q;
    *q = *p;
}
