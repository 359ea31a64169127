int half(int x)
{
    return x / 2; /* rounds towards zero */
}
