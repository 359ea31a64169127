struct range {
    int lo;
    int hi;
};

struct range order(int a, int b)
{
    struct range r = {a, b};
    if (r.lo > r.hi) {
        r.lo = b;
        r.hi = a;
    }
    return r;
}
