static int calls;

static void count(void)
{
    calls++;
}

int many(int a)
{
    int x = a;

    if (x)
        count();
    return x > 1;
}
