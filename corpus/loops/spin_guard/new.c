static void spin(void)
{
    for (;;) {
    }
}

int f(int x)
{
    if (x > 9)
        spin();
    return 1;
}
