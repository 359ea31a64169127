int bonus(int points)
{
    if (points > 100)
        return 50;
    if (points > 10)
        return 5;
    return 0;
}
