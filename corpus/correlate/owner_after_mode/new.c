int change_owner(int file, int owner, int group);
int change_mode(int file, int mode);

int set_owner(int file, int owner, int group, int mode, int is_new)
{
    if (!is_new && (mode & 07000) != 0 && change_mode(file, mode & 0777) != 0)
        return -1;
    if (change_owner(file, owner, group) == 0)
        return 1;
    if (!is_new && change_owner(file, -1, group) == 0)
        return 1;
    return 0;
}
