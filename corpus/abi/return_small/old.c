struct range {
    int lo;
    int hi;
};

struct range order(int a, int b)
{
    struct range r;
    if (a < b) {
        r.lo = a;
        r.hi = b;
    } else {
        r.lo = b;
        r.hi = a;
    }
    return r;
}
