int level;
void update(void);

int after_update(void)
{
    update();
    return level;
}
