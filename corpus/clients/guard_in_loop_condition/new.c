int lib(int x)
{
    return x > 0 ? 1 + (x & 1) : 2;
}

int drain(int x)
{
    int steps = 0;

    while (x > 0) {
        x -= lib(x);
        steps++;
    }
    return steps;
}
