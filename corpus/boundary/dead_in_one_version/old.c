static int calls;

static void count(void)
{
    calls++;
}

int seven(int a)
{
    int x = a;
    x = 7;
    count();
    return 7;
}
