int first_less(char a, char b)
{
    return (unsigned char)a < (unsigned char)b;
}
