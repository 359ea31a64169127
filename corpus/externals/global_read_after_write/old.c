int level;
int update(int by);

int set_and_update(int x)
{
    level = x;
    return update(level);
}
