static int calls;

static void count(void)
{
    calls++;
}

int seven(int a)
{
    int x = a;
    count();
    return x;
}
