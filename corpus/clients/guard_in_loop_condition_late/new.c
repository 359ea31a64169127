int lib(int x)
{
    return x == 3 ? 1 : 1 + (x & 1);
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
