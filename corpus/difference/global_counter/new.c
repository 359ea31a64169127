int counter;

int f(void)
{
    if (counter == 9)
        counter = -1;
    return ++counter;
}
