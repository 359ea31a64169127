static int limit;

int main(void)
{
    limit = 10;
    limit += 2;
    return limit;
}
