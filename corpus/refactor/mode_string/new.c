char exec_letter(unsigned mode)
{
    if (mode & 01000)
        return mode & 0001 ? 't' : 'T';
    return mode & 0001 ? 'x' : '-';
}
