int lib(int x)
{
    return x > 15 ? -2 : x * x + 1;
}

int chain(int x)
{
    x = lib(x & 15);
    x = lib(x & 15) ^ 1;
    x = lib(x & 15) ^ 2;
    x = lib(x & 15) ^ 3;
    x = lib(x & 15) ^ 4;
    x = lib(x & 15) ^ 5;
    x = lib(x & 15) ^ 6;
    x = lib(x & 15) ^ 7;
    x = lib(x & 15) ^ 8;
    x = lib(x & 15) ^ 9;
    x = lib(x & 15) ^ 10;
    x = lib(x & 15) ^ 11;
    x = lib(x & 15) ^ 12;
    x = lib(x & 15) ^ 13;
    x = lib(x & 15) ^ 14;
    return x;
}
