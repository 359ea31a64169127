int newer(unsigned char a_minor, unsigned char a_patch, unsigned char b_minor, unsigned char b_patch)
{
    return a_minor * 100 + a_patch > b_minor * 100 + b_patch;
}
