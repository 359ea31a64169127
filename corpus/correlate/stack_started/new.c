int read_file(int kind);
void push(int element);
int is_bare(void);

void start_stack(int depth, int system)
{
    if (depth <= 0) {
        push(read_file(0));
        if (system)
            push(read_file(1));
        if (!is_bare())
            push(read_file(2));
        push(read_file(3));
    }
}
