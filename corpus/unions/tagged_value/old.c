struct value {
    int tag;
    union {
        int i;
        int b;
    } u;
};

int as_int(const struct value *v)
{
    switch (v->tag) {
    case 0:
        return v->u.i;
    case 1:
        return (v->u.b & 0xff) != 0;
    default:
        return 0;
    }
}
