static void abs_in_place(int *x)
{
    if (*x >= 1)
        return;
    else
        *x = -*x;
}

void f(int *x)
{
    if (*x == 5) {
        abs_in_place(x);
        if (*x == 0) {
            *x = 0;
            return;
        }
    }
}
