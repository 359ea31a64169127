int newer(unsigned char a_minor, unsigned char a_patch, unsigned char b_minor, unsigned char b_patch)
{
    if (a_minor != b_minor)
        return a_minor > b_minor;
    return a_patch > b_patch;
}
