static int level = 0;

static void set(void)
{
    level = 1;
}

int main(void)
{
    set();
    return level ? 4 : 3;
}
