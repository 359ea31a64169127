enum shape { POINT, LINE, CIRCLE };

int cost(enum shape s)
{
    switch (s) {
    case POINT:
        return 1;
    case LINE:
        return 2;
    case CIRCLE:
        return 5;
    default:
        return 0;
    }
}
