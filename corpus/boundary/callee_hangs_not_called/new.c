static int idle(void)
{
    for (;;) {
    }
}

int touch(int x)
{
    if (x > 7 && x < 3)
        idle();
    return x;
}
