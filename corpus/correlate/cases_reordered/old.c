int next(void);
void put(int n);

int run(int state)
{
    while (state != 3) {
        switch (state) {
        case 0:
            put(0);
            state = 1;
            break;
        case 1:
            state = next() ? 2 : 0;
            break;
        default:
            put(state);
            state = 3;
        }
    }
    return state;
}
