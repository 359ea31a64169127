static long work(int kind, long v)
{
    return kind == 1 ? v + 1 : kind == 2 ? v * 2 : v;
}

static long checked_work(int kind, long v)
{
    if (kind < 0)
        return v;
    return work(kind, v);
}

long api(int kind, long v)
{
    return checked_work(kind, v);
}
