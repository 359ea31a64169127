int has_flag(unsigned flags)
{
    unsigned char set = flags & 256;
    return set != 0;
}
