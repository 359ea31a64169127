static int calls;

static void count(void)
{
    calls++;
}

int any(int a)
{
    int x = a;

    if (x)
        count();
    return !x;
}
