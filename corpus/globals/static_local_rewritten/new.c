int next_ticket(void)
{
    static int ticket;
    int mine = ticket;

    ticket = mine + 1;
    return mine;
}
