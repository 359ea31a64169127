int sum;

static void take(const int *p)
{
    sum += *p;
}

int add(int a)
{
    int x = a != 0;

    take(&x);
    return x == 0;
}
