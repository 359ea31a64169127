int priority(int kind)
{
    if (kind == 3)
        return 10;
    else if (kind == 5)
        return 20;
    else if (kind == 8 || kind == 9)
        return 30;
    return 0;
}
