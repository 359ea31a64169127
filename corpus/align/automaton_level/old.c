/* The state is left at a level of 10 only, and the level never falls: behind that it is at least 10. */
int total(const int *v, int n)
{
    int state = 0, level = 0, sum = 0;
    for (int k = 0; k < n; k++) {
        if (state == 0) {
            if (level < 10)
                level++;
            else
                state = 1;
        } else if (level < 1000) {
            level += 2;
        }
        if (state == 1 && level < 10)
            sum = -1;
        sum += v[k];
    }
    return sum;
}
