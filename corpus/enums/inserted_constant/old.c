enum level { DEBUG, INFO, WARNING, ERROR };

int is_error(int level)
{
    return level >= ERROR;
}
