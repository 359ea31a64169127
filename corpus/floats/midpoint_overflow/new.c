double middle(double a, double b)
{
    return a / 2 + b / 2;
}
