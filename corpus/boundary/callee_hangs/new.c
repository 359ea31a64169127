static int idle(void)
{
    for (;;) {
    }
}

int touch(int x)
{
    if (x == 7)
        idle();
    return x;
}
