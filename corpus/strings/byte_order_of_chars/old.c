int first_less(char a, char b)
{
    return a < b;
}
