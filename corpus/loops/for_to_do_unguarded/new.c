int count_to(int n)
{
    int i = 0, s = 0;

    do {
        s += 1;
        i++;
    } while (i < n);
    return s;
}
