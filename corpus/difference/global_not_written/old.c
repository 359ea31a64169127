int last;

int f(int x)
{
    last = x;
    return x;
}
