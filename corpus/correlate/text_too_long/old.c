void *allocate(unsigned size);
void copy_text(void *to, const char *from, int length);

int set_text(const char *text, int old_length, int added, int removed)
{
    int length = old_length + added - removed;
    void *buffer;

    if (length == 0)
        return 0;
    buffer = allocate((unsigned)length * 2u);
    copy_text(buffer, text, length);
    return 0;
}
