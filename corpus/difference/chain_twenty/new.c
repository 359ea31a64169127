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

static int step6(int x)
{
    return step5(x) + 6;
}

static int step7(int x)
{
    return step6(x) + 7;
}

static int step8(int x)
{
    return step7(x) + 8;
}

static int step9(int x)
{
    return step8(x) + 9;
}

static int step10(int x)
{
    return step9(x) + 10;
}

static int step11(int x)
{
    return step10(x) + 11;
}

static int step12(int x)
{
    return step11(x) + 12;
}

static int step13(int x)
{
    return step12(x) + 13;
}

static int step14(int x)
{
    return step13(x) + 14;
}

static int step15(int x)
{
    return step14(x) + 15;
}

static int step16(int x)
{
    return step15(x) + 16;
}

static int step17(int x)
{
    return step16(x) + 17;
}

static int step18(int x)
{
    return step17(x) + 18;
}

static int step19(int x)
{
    return step18(x) + 19;
}

static int step20(int x)
{
    return step19(x) + 20;
}

int f(int x)
{
    return step20(x);
}
