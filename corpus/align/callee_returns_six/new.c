int rest(int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (left > 0 || i == 9)
            left++;
    return left;
}

int total(int n, int k)
{
    return rest(n) + k;
}
