#define SECONDS_PER_DAY (24L * 60 * 60)

long seconds(int days)
{
    return SECONDS_PER_DAY * days;
}
