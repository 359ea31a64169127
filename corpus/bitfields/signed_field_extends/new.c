int sample(unsigned raw)
{
    struct {
        int v : 12;
    } s;
    s.v = (int)raw;
    return s.v;
}
