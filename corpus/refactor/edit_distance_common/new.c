unsigned cell(unsigned up, unsigned left)
{
    return (up < left ? up : left) + 1;
}
