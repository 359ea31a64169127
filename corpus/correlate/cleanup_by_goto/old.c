int open_file(int id);
int read_file(int file);
void close_file(int file);

int work(int id, int times)
{
    int file = open_file(id), i;

    if (file < 0)
        return -1;
    for (i = 0; i < times; i++) {
        if (read_file(file) < 0) {
            close_file(file);
            return -2;
        }
    }
    close_file(file);
    return 0;
}
