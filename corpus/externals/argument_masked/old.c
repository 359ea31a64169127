int sensor(unsigned id);

int read_channel(unsigned ch)
{
    return sensor(ch);
}
