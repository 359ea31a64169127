int last;

int f(int x)
{
    return x;
}
