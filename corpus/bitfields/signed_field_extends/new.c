int sample(unsigned raw)
{
    struct {
        int v : 12;
    } s = {0};
    s.v = (int)raw;
    return s.v;
}
