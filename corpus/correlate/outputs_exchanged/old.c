void left(int n);
void right(int n);

void pairs(int n)
{
    int i;

    for (i = 0; i < n; i++) {
        left(i);
        right(i);
    }
}
