int level;

int set_level(int l)
{
    level = l;
    return 0;
}
