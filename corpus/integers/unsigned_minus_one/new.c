int has_room(unsigned n)
{
    return n - 1 < 100;
}
