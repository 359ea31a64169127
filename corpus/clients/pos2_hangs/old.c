static int lib(int x)
{
    int count = 1;

    while (x != -1) {
        if (x < 0) {
            x++;
            count++;
        }
    }
    return count;
}

int distance(int x)
{
    if (x <= 0)
        return lib(x);
    return lib(-x);
}
