int f(int fd)
{
    return fd + 1;
}
