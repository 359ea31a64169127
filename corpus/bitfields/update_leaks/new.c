unsigned set_mode(unsigned word, unsigned mode)
{
    return (word & ~(7u << 1)) | mode << 1;
}
