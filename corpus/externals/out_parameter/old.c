int fetch(int key, int *out);

int fetched(int key)
{
    int value = 0;
    if (fetch(key, &value) == 0)
        return value;
    return -1;
}
