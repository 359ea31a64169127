int width(unsigned char lead)
{
    switch (lead) {
    case 0x00 ... 0x7f:
        return 1;
    case 0xc2 ... 0xdf:
        return 2;
    case 0xe0 ... 0xef:
        return 3;
    case 0xf0 ... 0xf4:
        return 4;
    default:
        return 0;
    }
}
