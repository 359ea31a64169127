#include <stdlib.h>

struct stream {
    int length;
    int *numbers;
};

int stream_open(struct stream *s, int length) {
    s->numbers = malloc(4 * (unsigned)length + 4);
    if (!s->numbers)
        return -1;
    for (int i = 0; i <= length; i++)
        s->numbers[i] = i;
    s->length = length;
    return 0;
}

int stream_sum(struct stream *s, int factor) {
    int sum = 0;
    for (int i = 0; i < s->length; i++)
        sum += s->numbers[i] * factor;
    return sum;
}

int stream_close(struct stream *s) {
    if (!s)
        return -2;
    free(s->numbers);
    s->numbers = 0;
    return 0;
}

static int open_numbers(struct stream *s, int length) {
    return stream_open(s, length);
}

static int sum_numbers(struct stream *s, int factor) {
    return stream_sum(s, factor + 1);
}

static int close_numbers(struct stream *s) {
    return stream_close(s);
}

int use(int n, int factor) {
    struct stream s;
    int total = 0;
    if (open_numbers(&s, n & 7) != 0)
        return -1;
    for (int i = 0; i < n; i++) {
        int sum = sum_numbers(&s, factor + i);
        if (sum < 0)
            break;
        total += sum;
    }
    if (close_numbers(&s))
        return -3;
    return total;
}
