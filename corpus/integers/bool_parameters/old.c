int changes(_Bool was_set, _Bool is_set)
{
    return was_set && !is_set;
}

int changes_to(_Bool was_set, int is_set)
{
    return was_set && is_set == 7;
}
