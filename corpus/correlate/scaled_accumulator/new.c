int f(int x, int n)
{
    int i, z = 0;

    for (i = 0; i != n; ++i) {
        x += z;
        z += 5;
        if (i >= 5)
            z += 15;
    }
    return x;
}
