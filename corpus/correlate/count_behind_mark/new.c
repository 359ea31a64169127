int upstream(const char *text, int length);

int scan(const char *text, int length, int *log_length)
{
    int at;

    *log_length = 0;
    if (length > 0 && text[length - 1] == '}') {
        for (at = length - 2; at >= 0; at--) {
            if (text[at] == '@' && text[at + 1] == '{') {
                if (upstream(text + at, length - at) > 0)
                    break;
                if (text[at + 2] == '-') {
                    int i, count = 0;
                    for (i = at + 3; i < length - 1; i++)
                        count = 10 * count + (text[i] - '0');
                    *log_length = count;
                    return 0;
                }
                *log_length = (length - 1) - (at + 2);
                length = at;
                break;
            }
        }
    }
    return length;
}
