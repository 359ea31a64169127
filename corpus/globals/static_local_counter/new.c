int next_ticket(void)
{
    static int ticket;
    return ++ticket;
}
