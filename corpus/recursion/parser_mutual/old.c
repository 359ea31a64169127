#include <stddef.h>

const char *parse_atom(const char *s, int depth);

const char *parse_sum(const char *s, int depth)
{
    s = parse_atom(s, depth);
    if (s != NULL && *s == '+')
        return parse_sum(s + 1, depth);
    return s;
}

const char *parse_atom(const char *s, int depth)
{
    if (*s >= '0' && *s <= '9')
        return s + 1;
    if (*s == '(' && depth > 0) {
        s = parse_sum(s + 1, depth - 1);
        if (s != NULL && *s == ')')
            return s + 1;
    }
    return NULL;
}
