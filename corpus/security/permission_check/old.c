int may_read(unsigned uid, unsigned owner, unsigned mode)
{
    if (uid == 0)
        return 1;
    if (uid == owner)
        return (mode & 0400) != 0;
    return (mode & 0004) != 0;
}
