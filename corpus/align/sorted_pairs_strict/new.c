int sorted(const int *v, unsigned n)
{
    int before, ok = 1;

    if (n < 2)
        return 1;
    before = *v++;
    while (--n > 0 && ok) {
        ok = before < *v;
        before = *v++;
    }
    return ok;
}
