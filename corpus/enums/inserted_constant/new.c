enum level { DEBUG, INFO, NOTICE, WARNING, ERROR };

int is_error(int level)
{
    return level >= ERROR;
}
