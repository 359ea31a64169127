float vat(float net)
{
    return net * 0.19;
}
