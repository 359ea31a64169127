int blend(int front, int back)
{
    return (3 * front + back) / 4;
}
