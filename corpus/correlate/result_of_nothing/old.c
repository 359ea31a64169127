int next(void);

int find(int times)
{
    int i, found = 0;

    for (i = 0; i < times; i++) {
        found = 1;
        if (next() == 0)
            break;
    }
    return found;
}
