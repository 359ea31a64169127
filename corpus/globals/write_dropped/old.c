int last_argument;

int square(int x)
{
    last_argument = x;
    return x * x;
}
