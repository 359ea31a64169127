int lib(int x)
{
    int count = 0;

    while (x < 0) {
        x++;
        count++;
    }
    return count;
}

int distance(int x)
{
    if (x <= 9)
        return lib(x);
    return lib(-x);
}
