struct vec {
    int x, y, z;
};

int dot(struct vec a, struct vec b)
{
    int sum = a.z * b.z;
    sum += a.y * b.y;
    sum += b.x * a.x;
    return sum;
}
