int f(int fd)
{
    return fd == -1 ? -1 : fd + 1;
}
