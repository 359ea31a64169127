int next(void);
void put(int n);

int run(int state)
{
    while (state != 3) {
        if (state == 1) {
            if (next())
                state = 2;
            else
                state = 0;
        } else if (state == 0) {
            state = 1;
            put(0);
        } else {
            put(state);
            state = 3;
        }
    }
    return 3;
}
