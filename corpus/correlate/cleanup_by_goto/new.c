int open_file(int id);
int read_file(int file);
void close_file(int file);

int work(int id, int times)
{
    int result = -1, file = open_file(id), i;

    if (file < 0)
        goto out;
    result = -2;
    for (i = 0; i < times; i++)
        if (read_file(file) < 0)
            goto close;
    result = 0;
close:
    close_file(file);
out:
    return result;
}
