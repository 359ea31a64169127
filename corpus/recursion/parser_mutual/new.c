#include <stddef.h>

const char *parse_atom(const char *s, int depth);

const char *parse_sum(const char *s, int depth)
{
    const char *rest = parse_atom(s, depth);

    if (rest == NULL)
        return NULL;
    return *rest == '+' ? parse_sum(rest + 1, depth) : rest;
}

const char *parse_atom(const char *s, int depth)
{
    const char *inner;

    if ((unsigned)*s - '0' < 10)
        return s + 1;
    if (*s != '(' || depth <= 0)
        return NULL;
    inner = parse_sum(s + 1, depth - 1);
    if (inner == NULL || *inner != ')')
        return NULL;
    return inner + 1;
}
