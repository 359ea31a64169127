void swap(int *p, int *q)
{
    *p ^= *q;
    *q ^= *p;
    *p ^= *q;
}
