int table(int n, int key)
{
    int sum = 0, i, j;

    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++) {
            if (key == 10)
                sum--;
            else
                sum += key ^ j;
        }
    return sum;
}
