int pow10_of(unsigned n)
{
    switch (n) {
    case 0:
        return 1;
    case 1:
        return 10;
    case 2:
        return 100;
    case 3:
        return 1000;
    case 4:
        return 10000;
    }
    return 0;
}
