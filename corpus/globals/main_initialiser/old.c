int limit = 10;

int main(void)
{
    int status = limit + 1;

    limit = 0;
    return status;
}
