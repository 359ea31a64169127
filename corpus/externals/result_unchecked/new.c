int prepare(int x);
int commit(int x);

int store(int x)
{
    prepare(x);
    return commit(x);
}
