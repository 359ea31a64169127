int lib(int x)
{
    return x < 0 ? -x : x % 100;
}

int middle(int x)
{
    int r = lib(x + 3);

    if (r > 50)
        r -= 50;
    return r;
}

int outer(int x)
{
    if (x < -5 || x > 1000)
        return -1;
    return middle(x);
}
