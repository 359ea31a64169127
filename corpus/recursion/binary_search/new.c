int search(const unsigned char *v, unsigned short lo, unsigned short hi, int key)
{
    while (lo < hi) {
        unsigned short mid = (unsigned short)(lo + (hi - lo) / 2);

        if (v[mid] == key)
            return mid;
        if (v[mid] < key)
            lo = (unsigned short)(mid + 1);
        else
            hi = mid;
    }
    return -1;
}
