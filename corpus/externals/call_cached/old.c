int sensor(int id);

int twice(int id)
{
    return sensor(id) + sensor(id);
}
