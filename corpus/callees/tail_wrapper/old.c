static long work(int kind, long v)
{
    return kind == 1 ? v + 1 : kind == 2 ? v * 2 : v;
}

long api(int kind, long v)
{
    return work(kind, v);
}
