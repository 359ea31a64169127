/* The kind of a packet that begins with a magic number and ends with a checksum. */
int packet_kind(const unsigned char *p, unsigned n, unsigned check)
{
    unsigned sum = 7;

    if (n < 8)
        return -1;
    if ((p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24) != 0x89ab12cdu)
        return -2;
    for (unsigned i = 4; i < n; i++)
        sum = sum * 31u + p[i];
    if (sum != check)
        return -3;
    if ((p[4] ^ p[5]) == 0x5a && p[6] > 200)
        return p[6] + ~0;
    return 0;
}
