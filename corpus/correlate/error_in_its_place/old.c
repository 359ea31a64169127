int cached_size;
int cached_error;
int stat_file(int file, int *size);

int size_of(int file)
{
    if (cached_size == -1 && stat_file(file, &cached_size) != 0)
        cached_size = -2 - cached_error;
    if (0 <= cached_size)
        return 0;
    cached_error = -2 - cached_size;
    return -1;
}
