int sensor(int id);

int twice(int id)
{
    return 2 * sensor(id);
}
