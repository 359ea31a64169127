int poll(int id);
void pause_for(int time);

int wait_for(int id)
{
    int time, state;

    for (time = 1; (state = poll(id)) == 0; time = time + time)
        pause_for(time);
    return state;
}
