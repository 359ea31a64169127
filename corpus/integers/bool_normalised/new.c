int has_flag(unsigned flags)
{
    return flags & 4;
}
