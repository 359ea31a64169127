int next_line(int file);
void add(int line, int macros);

int read_lines(int file, int macros)
{
    int line, count = 0;

    while ((line = next_line(file)) > 0) {
        if (count == 0 && line == 65279)
            line = next_line(file);
        add(line, macros);
        count++;
    }
    return count;
}
