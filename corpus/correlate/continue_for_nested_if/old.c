void put(int n);

int show(const int *values, int n, int least)
{
    int i, shown = 0;

    for (i = 0; i < n; i++) {
        if (values[i] >= least) {
            put(values[i]);
            shown++;
        }
    }
    return shown;
}
