void *place_for(int key);

int put(int key, int value)
{
    int *place = place_for(key);

    if (!place)
        return 0;
    *place = value;
    return 1;
}
