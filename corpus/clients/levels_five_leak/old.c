unsigned level1(unsigned x)
{
    return x % 4 == 1 ? x : x;
}

unsigned level2(unsigned x)
{
    return level1(x) ^ 64;
}

unsigned level3(unsigned x)
{
    return level2(x) >> 1;
}

unsigned level4(unsigned x)
{
    return level3(x) + level2(x);
}

unsigned level5(unsigned x)
{
    return level4(x) ^ 5;
}
