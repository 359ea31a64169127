enum shape { POINT, LINE, CIRCLE, NOTHING };

int cost(enum shape s)
{
    switch (s) {
    case POINT:
        return 1;
    case LINE:
        return 2;
    case CIRCLE:
        return 5;
    case NOTHING:
        return 0;
    default:
        return 0;
    }
}
