int lib(int x)
{
    return x > 0 ? 2 : 0;
}

int grade(int x)
{
    int r = lib(x);

    if (x > 90)
        r = 4;
    else
        r = 3;
    return r;
}
