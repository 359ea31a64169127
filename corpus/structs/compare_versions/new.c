struct version {
    unsigned short major, minor, patch;
};

int version_cmp(const struct version *a, const struct version *b)
{
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return (a->patch > b->patch) - (a->patch < b->patch);
}
