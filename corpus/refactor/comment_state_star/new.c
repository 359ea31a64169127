enum state { CODE, SLASH, BLOCK, STAR };

int next_state(int state, int c)
{
    switch (state) {
    case CODE:
        return c == '/' ? SLASH : CODE;
    case SLASH:
        if (c == '*')
            return BLOCK;
        return c == '/' ? SLASH : CODE;
    case BLOCK:
        return c == '*' ? STAR : BLOCK;
    case STAR:
        return c == '/' ? CODE : BLOCK;
    default:
        return CODE;
    }
}
