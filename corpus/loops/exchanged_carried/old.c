unsigned summary(unsigned days, unsigned months)
{
    unsigned day, month, total = 0, product;

    for (day = 0; day < days; day++)
        total += day * day;
    product = total | 1;
    for (month = 1; month < months; month++)
        product *= month | 1;
    return total ^ product;
}
