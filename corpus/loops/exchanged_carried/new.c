unsigned summary(unsigned days, unsigned months)
{
    unsigned day, month, total = 0, product;

    product = total | 1;
    for (month = 1; month < months; month++)
        product *= month | 1;
    for (day = 0; day < days; day++)
        total += day * day;
    return total ^ product;
}
