/* The same tests are removed where what was established does not hold any more. */


struct buffer {
    int length;
    int room;
};

int changed_since(int x, int n) {
    int y = 0;
    if (x > 0) {
        for (int i = 0; i < n; i++)
            y += i & 3;
        x -= 2;
        y += 1;
        for (int i = 0; i < n; i++)
            y += i & 5;
    }
    return y;
}

int changed_by_the_loop(int x, int n) {
    int y = 0;
    if (x > 0) {
        for (int i = 0; i < n; i++) {
            y += 1;
            x--;
        }
    }
    return y;
}

int stored_through_another(struct buffer *b, int *p, int n) {
    int y = 0;
    b->length = 5;
    *p = n;
    if (1)
        y++;
    for (int i = 0; i < n; i++)
        y += i & 3;
    return y;
}

int stored_in_part(struct buffer *b, int n) {
    int y = 0;
    b->length = 5;
    ((char *)b)[3] = (char)n;
    if (1)
        y++;
    for (int i = 0; i < n; i++)
        y += i & 3;
    return y;
}

void reset(struct buffer *b) {
    b->length = 0;
}

int written_by_a_callee(struct buffer *b, int n) {
    int y = 0;
    b->length = 5;
    if (n & 1)
        reset(b);
    if (1)
        y++;
    for (int i = 0; i < n; i++)
        y += i & 3;
    return y;
}

int two_cases_meet(int kind, int n) {
    int y = 0;
    switch (kind) {
    case 4:
    case 6:
        for (int i = 0; i < n; i++)
            y += i & 3;
        y += 12;
        break;
    case 5:
        y++;
    }
    return y;
}

int one_way_only(int x, int n) {
    int y = 0;
    if (n == 7)
        goto there;
    if (x > 0) {
        for (int i = 0; i < n; i++)
            y += i & 3;
    there:
        y += 1;
    }
    return y;
}
