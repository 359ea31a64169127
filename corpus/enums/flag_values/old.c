enum perm { READ = 1, WRITE = 2, APPEND = 4 };

int may_write(unsigned perms)
{
    if (perms & WRITE)
        return 1;
    if (perms & APPEND)
        return 1;
    return 0;
}
