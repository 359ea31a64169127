void write_byte(int b);

void write_entry(const unsigned char *data, int size, int compressed)
{
    int i;

    for (i = 0; i < size; i++) {
        int flags = compressed ? 8 : 0;
        write_byte(data[i] ^ flags);
    }
    write_byte(compressed ? 8 : 0);
}
