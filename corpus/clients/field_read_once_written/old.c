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
    if (n > q->limit)
        return -1;
    account(q, n);
    return q->limit - n;
}
