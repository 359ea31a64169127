struct pair {
    float a;
    float b;
};

float diff(struct pair p)
{
    return p.a - p.b;
}
