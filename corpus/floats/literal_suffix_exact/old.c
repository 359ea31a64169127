float three_quarters(float x)
{
    return x * 0.75;
}
