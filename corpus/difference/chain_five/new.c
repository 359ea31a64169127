static int leaf(int x)
{
    return x == 12 ? 13 : x;
}

static int step1(int x)
{
    return leaf(x) + 1;
}

static int step2(int x)
{
    return step1(x) + 2;
}

static int step3(int x)
{
    return step2(x) + 3;
}

static int step4(int x)
{
    return step3(x) + 4;
}

static int step5(int x)
{
    return step4(x) + 5;
}

int f(int x)
{
    return step5(x);
}
