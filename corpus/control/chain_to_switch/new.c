int priority(int kind)
{
    switch (kind) {
    case 9:
    case 8:
        return 30;
    case 5:
        return 20;
    case 3:
        return 10;
    }
    return 0;
}
