static struct {
    const char *name;
    int code;
} errors[] = {{"ok", 0}, {"again", 11}, {"broken", 32}};

int code_of(unsigned error)
{
    return error < 3 ? errors[error].code : -1;
}

int first_letter(unsigned error)
{
    return error < 2 ? errors[error].name[0] : 0;
}
