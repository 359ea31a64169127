char base64_digit(unsigned v)
{
    v &= 63;
    if (v < 26)
        return (char)('A' + v);
    if (v < 52)
        return (char)('a' + (v - 26));
    if (v < 62)
        return (char)('0' + (v - 52));
    return v == 62 ? '+' : '/';
}
