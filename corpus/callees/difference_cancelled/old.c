static int count(int n)
{
    return n > 0 ? n : 0;
}

int last_index(int n)
{
    return count(n);
}
