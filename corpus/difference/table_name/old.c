static const char name[] = "abc";

int f(unsigned i)
{
    return name[i & 3];
}
