void put_line(void);

void lines(unsigned n)
{
    while (n-- > 0)
        put_line();
}
