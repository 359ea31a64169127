/* Sends the rights of a file as text, one letter for each class that has any. */
int send(int letter);

int send_rights(const unsigned short *modes, int n)
{
    int sent = 0;

    for (int i = 0; i < n; i++) {
        unsigned user = modes[i] >> 6 & 7;

        if (user)
            sent += send('u');
        if (modes[i] & 0070)
            sent += send('g');
        if (user > 7)
            sent += send('x');
    }
    return sent;
}
