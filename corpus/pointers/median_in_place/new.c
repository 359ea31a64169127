void sort3(int *v)
{
    int a = v[0] < v[1] ? v[0] : v[1];
    int b = v[0] < v[1] ? v[1] : v[0];
    int c = v[2];
    int mid = b < c ? b : c;

    v[2] = b < c ? c : b;
    v[0] = a < mid ? a : mid;
    v[1] = a < mid ? mid : a;
}
