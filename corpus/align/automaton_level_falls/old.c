/* As automaton_level, but the level falls again. */
int total(const int *v, int n)
{
    int state = 0, level = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        if (state == 0) {
            if (level < 10)
                level++;
            else
                state = 1;
        } else if (level > 8) {
            level--;
        }
        if (state == 1 && level < 10)
            sum = -1;
        sum += v[k];
    }
    return sum;
}
