/* Steps through the states of a reader: each byte is passed on, or not. */
int byte(void);
void pass(int c);

int states(int n)
{
    int state = 0, passed = 0;

    while (n-- > 0) {
        int c = byte();

        switch (state) {
        case 0:
            state = c == '"' ? 1 : c == '#' ? 2 : 0;
            break;
        case 1:
            state = c == '"' ? 0 : 1;
            pass(c);
            passed++;
            break;
        default:
            if (c == '\n')
                state = 0;
            break;
        case 7:
            return -1;
        }
    }
    return passed;
}
