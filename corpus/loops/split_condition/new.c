int log_floor(unsigned x)
{
    int n;

    for (n = 0; n < 31; n++) {
        if (x <= 1)
            break;
        x >>= 1;
    }
    return n;
}
