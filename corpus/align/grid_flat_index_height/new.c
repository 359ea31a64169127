unsigned grid(unsigned char w, unsigned char h)
{
    unsigned k, s = 0;

    for (k = 0; k < (unsigned)w * h; k++)
        s = s * 5 + k % w * 3 + k / h;
    return s;
}
