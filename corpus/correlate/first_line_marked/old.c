int next_line(int file);
void add(int line, int macros);

int read_lines(int file, int macros)
{
    int line, count = 0;

    while ((line = next_line(file)) > 0) {
        add(line, macros);
        count++;
    }
    return count;
}
