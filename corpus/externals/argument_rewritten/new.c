int sensor(unsigned id);

int read_channel(unsigned ch)
{
    int v = sensor(ch & 15);
    return v + 1;
}
