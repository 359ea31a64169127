int fee(int zone)
{
    int cents = 0;
    switch (zone) {
    case 1:
        cents = 100;
        break;
    case 2:
        cents = 150;
        /* fall through */
    case 3:
        cents = 225;
        break;
    default:
        cents = 400;
    }
    return cents;
}
