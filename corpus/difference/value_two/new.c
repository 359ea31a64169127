int f(int c)
{
    switch (c) {
    case 2:
        return 10;
    case 1:
        return 20;
    default:
        return 0;
    }
}
