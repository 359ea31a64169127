int has_flag(unsigned flags)
{
    _Bool set = flags & 256;
    return set;
}
