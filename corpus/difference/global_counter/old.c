int counter;

int f(void)
{
    return ++counter;
}
