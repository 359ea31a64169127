static int level = 0;

static void set(void)
{
    level = 1;
}

int main(void)
{
    int status = level ? 4 : 3;

    set();
    return status;
}
