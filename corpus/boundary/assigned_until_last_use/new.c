#include <stddef.h>

struct text { size_t length; char bytes[64]; };

/* Keeps what is between two places, which count from the end if they are negative. */
size_t keep(struct text *text, long start, long end)
{
    size_t length = text->length, kept;

    if (length == 0 || length > 64)
        return 0;
    if (start < 0) {
        start = length + start;
        if (start < 0)
            start = 0;
    }
    if (end < 0) {
        end = length + end;
        if (end < 0)
            end = 0;
    }
    kept = (start > end) ? 0 : (end - start) + 1;
    if (kept != 0) {
        if (start >= (long)length) {
            kept = 0;
        } else if (end >= (long)length) {
            end = length - 1;
            kept = (end - start) + 1;
        }
    }
    if (start && kept)
        text->bytes[0] = text->bytes[start];
    text->length = kept;
    return kept;
}
