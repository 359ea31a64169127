int error;

int lib(int x)
{
    error = 0;
    if (x > 9) {
        error = 2;
        return 0;
    }
    return x;
}

int check(int x)
{
    int r = lib(x);

    if (error) {
        error = 0;
        return -1;
    }
    return r;
}
