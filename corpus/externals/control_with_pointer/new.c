struct window {
    unsigned short rows, columns;
};
int control(int fd, unsigned long request, ...);
int ask(int fd);

int apply(int (*f)(int, long, long), int x) { return f(x, 6, 80); }

int columns(int fd) {
    struct window size = {0, 0};
    if (control(fd, 21523ul, &size) == -1 || size.columns == 0)
        return ask(fd);
    return size.columns;
}
