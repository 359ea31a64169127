int mode;

int f(int x)
{
    return x;
}
