/* Each change is equal only under what was established before it, on every path and without a change since. */
int weight(int);
void note(int);

struct buffer {
    int length;
    int room;
    char *bytes;
};

int under_a_branch(int x, int n) {
    int y = 0;
    for (int i = 0; i < n; i++)
        note(i);
    if (x > 0) {
        for (int i = 0; i < n; i++)
            y += weight(i);
        y += 1;
        for (int i = 0; i < n; i++)
            y += weight(i);
    }
    return y;
}

int field_in_a_loop(struct buffer *b, int n) {
    int y = 0;
    for (int i = 0; i < n; i++)
        note(i);
    while (b->length > 3) {
        if (1)
            y++;
        for (int i = 0; i < n; i++)
            y += weight(i);
    }
    return y;
}

int dereferenced_before(struct buffer *b, int n) {
    int y = 0;
    for (int i = 0; i < n; i++)
        note(i);
    y += b->room;
    if (1)
        y++;
    for (int i = 0; i < n; i++)
        y += weight(i);
    return y;
}

int stored_before(struct buffer *b, int n) {
    int y = 0;
    for (int i = 0; i < n; i++)
        note(i);
    b->length = 5;
    b->room = n;
    if (1)
        y++;
    for (int i = 0; i < n; i++)
        y += weight(i);
    return y;
}

int in_a_case(int kind, int n) {
    int y = 0;
    for (int i = 0; i < n; i++)
        note(i);
    switch (kind) {
    case 4:
        for (int i = 0; i < n; i++)
            y += weight(i);
        y += 12;
        for (int i = 0; i < n; i++)
            y += weight(i);
        break;
    case 5:
        y++;
    }
    return y;
}
