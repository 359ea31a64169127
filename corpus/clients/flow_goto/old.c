int lib(int x)
{
    return x >= 10 ? 11 : x;
}

int route(int x)
{
    int r = 0;

    if (x > 20)
        goto done;
    if (x > 9)
        goto middle;
    r = lib(x);
    goto done;
middle:
    r = 100;
done:
    return r + 1;
}
