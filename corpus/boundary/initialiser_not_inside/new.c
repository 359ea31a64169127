static int level = 0;

static void set(void)
{
    level = 1;
}

int main(void)
{
    set();
    return 3;
}
