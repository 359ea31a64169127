struct item {
    int id;
    int price;
    int stock;
};

int second_id(const struct item *v)
{
    return v[1].id;
}
