int search(const unsigned char *v, unsigned short lo, unsigned short hi, int key)
{
    unsigned short mid;

    if (lo >= hi)
        return -1;
    mid = (unsigned short)(lo + (hi - lo) / 2);
    if (v[mid] == key)
        return mid;
    if (v[mid] < key)
        return search(v, (unsigned short)(mid + 1), hi, key);
    return search(v, lo, mid, key);
}
