typedef int number;

number count(const char *const text, const number most)
{
    return text[0] != 0 && most >= 1;
}
