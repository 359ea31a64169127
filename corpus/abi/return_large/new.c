struct row {
    int v[5];
};

struct row spread(int x)
{
    struct row r = {{x, 2 * x, 3 * x, 5 * x, 0}};
    return r;
}
