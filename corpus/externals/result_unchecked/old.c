int prepare(int x);
int commit(int x);

int store(int x)
{
    if (prepare(x) != 0)
        return -1;
    return commit(x);
}
