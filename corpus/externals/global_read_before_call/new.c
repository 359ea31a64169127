int level;
void update(void);

int after_update(void)
{
    int now = level;
    update();
    return now;
}
