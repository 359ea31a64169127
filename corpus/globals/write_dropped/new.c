int last_argument;

int square(int x)
{
    return x * x;
}
