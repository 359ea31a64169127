int reading(void);

int delta(void)
{
    int a = reading();
    int b = reading();
    return a - b;
}
