int read_file(int kind);
void push(int element);
int is_bare(void);

void start_stack(int depth, int system)
{
    int element;

    if (depth > 0)
        return;
    element = read_file(0);
    push(element);
    if (system) {
        element = read_file(1);
        push(element);
    }
    if (!is_bare()) {
        element = read_file(2);
        push(element);
    }
    element = read_file(3);
    push(element);
}
