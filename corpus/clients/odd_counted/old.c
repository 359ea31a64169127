int lib(int x)
{
    int count = 0;

    while (x % 2 == 0) {
        x = x / 2;
        count++;
    }
    return count;
}

int is_multiple(int x)
{
    if (x == 0)
        return 1;
    return lib(x) > 1;
}
