int level;

void set_level(int l)
{
    level = l;
}
