void enter(int x);
int small(int x);
int large(int x);

int dispatch(int x)
{
    if (x < 10) {
        enter(x);
        return small(x);
    }
    enter(x);
    return large(x);
}
