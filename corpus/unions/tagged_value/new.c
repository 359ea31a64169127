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
    case 1:
        return v->u.i;
    default:
        return 0;
    }
}
