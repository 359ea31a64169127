enum perm { READ = 1, WRITE = 2, APPEND = 4 };

int may_write(unsigned perms)
{
    return (perms & (WRITE | APPEND)) != 0;
}
