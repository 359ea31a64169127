/* Copies records until one is broken; says whether all were copied. */
int fetch(char *to, int size);
void store(const char *from, int size);

static int checked(const char *record, int size)
{
    if (size < 2)
        return -200;
    if (record[0] != 'R')
        return -200;
    return record[1];
}

int copy(int n)
{
    char record[16];

    for (int i = 0; i < n; i++) {
        int size = fetch(record, sizeof record), kind;

        if (size > 16)
            return 0;
        kind = checked(record, size);
        if (kind == -200)
            return 0;
        store(record, size);
        if (kind == 3)
            break;
    }
    return 1;
}
