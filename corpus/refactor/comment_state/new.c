enum state { CODE, SLASH, BLOCK, STAR };

static const unsigned char table[4][3] = {
    /* other, '/', '*' */
    {CODE, SLASH, CODE},
    {CODE, SLASH, BLOCK},
    {BLOCK, BLOCK, STAR},
    {BLOCK, CODE, STAR},
};

int next_state(int state, int c)
{
    int column = c == '/' ? 1 : c == '*' ? 2 : 0;

    if (state < 0 || state > 3)
        return CODE;
    return table[state][column];
}
