void emit(unsigned x);

void all(unsigned n)
{
    while (n-- > 0)
        emit(n);
}
