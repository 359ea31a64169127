int poll(int id);
void pause_for(int time);

int wait_for(int id)
{
    int time = 1, state;

again:
    state = poll(id);
    if (state == 0) {
        pause_for(time);
        time *= 2;
        goto again;
    }
    return state;
}
