int bonus(int points)
{
    if (points > 10)
        return 5;
    if (points > 100)
        return 50;
    return 0;
}
