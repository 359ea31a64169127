typedef unsigned short counter_t;

unsigned bump(unsigned x)
{
    counter_t c = x;

    c++;
    return c;
}
