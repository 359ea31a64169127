void enter(int x);
int small(int x);
int large(int x);

int dispatch(int x)
{
    enter(x);
    return x < 10 ? small(x) : large(x);
}
