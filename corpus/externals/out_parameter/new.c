int fetch(int key, int *out);

int fetched(int key)
{
    int value = 0;
    int status = fetch(key, &value);
    return status ? -1 : value;
}
