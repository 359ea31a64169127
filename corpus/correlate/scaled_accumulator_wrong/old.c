int f(int x, int n)
{
    int i, z = 0;

    for (i = 0; i != n; ++i) {
        x += z * 5;
        z += 1;
        if (i >= 5)
            z += 3;
    }
    return x;
}
