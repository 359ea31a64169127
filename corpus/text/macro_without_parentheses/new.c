#define SQUARE(x) (x * x)

int next_square(int x)
{
    return SQUARE(x + 1);
}
