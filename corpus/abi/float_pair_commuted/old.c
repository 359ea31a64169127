struct pair {
    float a;
    float b;
};

float total(struct pair p)
{
    return p.a + p.b;
}
