int count(char *text, int most)
{
    return text[0] == 0 || most < 1 ? 0 : 1;
}
