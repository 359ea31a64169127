void put_line(void);

void lines(unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        put_line();
}
