int celsius(short f)
{
    return (f - 32) * 5 / 9;
}
