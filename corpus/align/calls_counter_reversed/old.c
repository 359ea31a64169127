void emit(unsigned x);

void all(unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        emit(i * 2);
}
