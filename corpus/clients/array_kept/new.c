void lib(int *a)
{
    a[0] = 0;
    a[1] = 0;
    a[2] = 0;
}

int build(int x)
{
    int a[3] = {x, x, x};

    lib(a);
    return a[0] + a[1] + a[2];
}
