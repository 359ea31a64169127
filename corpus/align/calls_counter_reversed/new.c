void emit(unsigned x);

void all(unsigned n)
{
    unsigned left, x = 0;

    for (left = n; left != 0; left--) {
        emit(x);
        x += 2;
    }
}
