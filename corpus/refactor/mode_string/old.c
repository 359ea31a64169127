char exec_letter(unsigned mode)
{
    return mode & 0001 ? 'x' : '-';
}
