void put(int c);

void print(unsigned x)
{
    if (x >= 10)
        print(x / 10);
    put('0' + x % 10);
}
