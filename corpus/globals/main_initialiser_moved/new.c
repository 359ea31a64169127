static int limit = 10;

int main(void)
{
    limit += 2;
    return limit;
}
