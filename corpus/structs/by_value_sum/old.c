struct vec {
    int x, y, z;
};

int dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
