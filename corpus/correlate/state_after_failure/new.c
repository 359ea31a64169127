int state;
int last_error;
int enter(int directory);

int change_directory(int directory, int keep)
{
    int result;

    if (state == 2)
        return -2;
    if (state == 0 && keep)
        state = 1;
    result = enter(directory);
    if (result != 0)
        last_error = result, state = 2;
    return result;
}
