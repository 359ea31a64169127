void open_log(void);
void open_door(void);

void setup(void)
{
    open_log();
    open_door();
}
