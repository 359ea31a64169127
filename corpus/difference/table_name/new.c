static const char name[] = "abC";

int f(unsigned i)
{
    return name[i & 3];
}
