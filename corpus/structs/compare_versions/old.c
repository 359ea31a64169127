struct version {
    unsigned short major, minor, patch;
};

int version_cmp(const struct version *a, const struct version *b)
{
    if (a->major == b->major) {
        if (a->minor == b->minor) {
            if (a->patch == b->patch)
                return 0;
            return a->patch < b->patch ? -1 : 1;
        }
        return a->minor < b->minor ? -1 : 1;
    }
    return a->major < b->major ? -1 : 1;
}
