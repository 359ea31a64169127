int lib(int x)
{
    int count = 0;

    while (x % 2 == 0) {
        x = x / 2;
        count++;
    }
    return count;
}

int is_odd(int x)
{
    return lib(x) == 0;
}
