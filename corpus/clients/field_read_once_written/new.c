struct queue {
    int limit, count;
};

static void account(struct queue *q, int n)
{
    q->count += n;
    if (q->count > 100)
        q->limit = 0;
}

int submit(struct queue *q, int n)
{
    int limit = q->limit;

    if (n > limit)
        return -1;
    account(q, n);
    return limit - n;
}
