static signed char narrow(int x)
{
    return (signed char)x;
}

int step(int x)
{
    return narrow(x);
}
