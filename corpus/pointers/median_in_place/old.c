void sort3(int *v)
{
    int t;
    if (v[0] > v[1]) {
        t = v[0];
        v[0] = v[1];
        v[1] = t;
    }
    if (v[1] > v[2]) {
        t = v[1];
        v[1] = v[2];
        v[2] = t;
    }
    if (v[0] > v[1]) {
        t = v[0];
        v[0] = v[1];
        v[1] = t;
    }
}
