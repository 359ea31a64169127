static int f0(int x)
{
    return x == 12 ? 2 : x / 3;
}

static int f1(int x)
{
    return f0(x) + f0(x);
}

static int f2(int x)
{
    return f1(x) + f1(x);
}

static int f3(int x)
{
    return f2(x) + f2(x);
}

static int f4(int x)
{
    return f3(x) + f3(x);
}

static int f5(int x)
{
    return f4(x) + f4(x);
}

static int f6(int x)
{
    return f5(x) + f5(x);
}

static int f7(int x)
{
    return f6(x) + f6(x);
}

static int f8(int x)
{
    return f7(x) + f7(x);
}

static int f9(int x)
{
    return f8(x) + f8(x);
}

static int f10(int x)
{
    return f9(x) + f9(x);
}

static int f11(int x)
{
    return f10(x) + f10(x);
}

static int f12(int x)
{
    return f11(x) + f11(x);
}

static int f13(int x)
{
    return f12(x) + f12(x);
}

static int f14(int x)
{
    return f13(x) + f13(x);
}

static int f15(int x)
{
    return f14(x) + f14(x);
}

int f16(int x)
{
    return f15(x) + f15(x);
}
