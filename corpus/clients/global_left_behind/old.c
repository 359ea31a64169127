int error;

int lib(int x)
{
    error = 0;
    if (x > 9) {
        error = 1;
        return 0;
    }
    return x;
}

int check(int x)
{
    return lib(x) == x;
}
