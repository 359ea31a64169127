int may_read(unsigned uid, unsigned owner, unsigned mode)
{
    if (uid == owner)
        return (mode & 0400) != 0;
    if (uid == 0)
        return 1;
    return (mode & 0004) != 0;
}
